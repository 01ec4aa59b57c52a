package main

import "fmt"

// alertmanagerConfig has every alert posted to the webhook, each on its own and
// at once.
func alertmanagerConfig(webhook string) string {
	return fmt.Sprintf(`route:
  receiver: webhook
  group_by: ["..."]
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: webhook
    webhook_configs:
      - url: %s
        send_resolved: true
`, webhook)
}

// prometheusConfig is what both ways have in common.
func prometheusConfig(alertmanager string) string {
	return fmt.Sprintf(`global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
rule_files: [rules.yml]
alerting:
  alertmanagers:
    - static_configs:
        - targets: [%q]
`, alertmanager)
}

// scrapeConfig is added where the consumer is scraped.
func scrapeConfig(target string) string {
	return fmt.Sprintf(`scrape_configs:
  - job_name: %s
    static_configs:
      - targets: [%q]
`, job, target)
}

// receiveConfig is added where the consumer pushes: what was held up on its way
// is still taken, as Prometheus' guide to OTLP recommends. The labels job and
// instance come from service.name and service.instance.id without being asked
// for.
const receiveConfig = `storage:
  tsdb:
    out_of_order_time_window: 30m
`

// resendFlag has a firing alert sent again with the next evaluations. By default that
// is after a minute, and what is sent in the moment after the start, before Prometheus
// has looked for its Alertmanagers, is lost until then.
const resendFlag = "--rules.alert.resend-delay=1s"

// receiverFlag opens Prometheus' OTLP receiver, and receiverPath is its path.
const (
	receiverFlag = "--web.enable-otlp-receiver"
	receiverPath = "/api/v1/otlp/v1/metrics"
)
