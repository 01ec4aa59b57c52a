package promtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// PrometheusSetup is what a Prometheus starts with.
type PrometheusSetup struct {
	// Config is the text of prometheus.yml.
	Config string
	// Rules is the text of rules.yml, which Config names in rule_files to have
	// it loaded.
	Rules string
	// Flags are added to its command line, such as --web.enable-otlp-receiver.
	Flags []string
}

// Prometheus is a server that runs until Stop.
type Prometheus struct{ *server }

// StartPrometheus starts a Prometheus that has no data yet, and waits until it
// is ready; ctx bounds the start only. A configuration or rule that it does not
// take is an error that has its log in it.
func StartPrometheus(ctx context.Context, setup PrometheusSetup) (*Prometheus, error) {
	files := map[string]string{"prometheus.yml": setup.Config, "rules.yml": setup.Rules}
	s, err := startServer(ctx, PrometheusProgram, files, append([]string{
		"--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0",
	}, setup.Flags...)...)
	if err != nil {
		return nil, err
	}
	return &Prometheus{s}, nil
}

// Alert is one that Prometheus knows to be pending or firing.
type Alert struct {
	Labels, Annotations map[string]string
	State               string
	ActiveAt            time.Time
}

// Alerts returns the alerts that are pending or firing.
func (p *Prometheus) Alerts(ctx context.Context) ([]Alert, error) {
	var data struct{ Alerts []Alert }
	return data.Alerts, p.api(ctx, "/api/v1/alerts", &data)
}

// RuleState is how the last evaluation of a rule went.
type RuleState struct {
	Name, Type, Query string
	// Health is ok, err or unknown, the last for what was not evaluated yet.
	Health, LastError string
}

// Rules returns the state of every rule.
func (p *Prometheus) Rules(ctx context.Context) ([]RuleState, error) {
	var data struct{ Groups []struct{ Rules []RuleState } }
	err := p.api(ctx, "/api/v1/rules", &data)
	var all []RuleState
	for _, group := range data.Groups {
		all = append(all, group.Rules...)
	}
	return all, err
}

// Sample is one series of an instant query's answer.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Query evaluates an expression, which must be an instant vector, as of now.
func (p *Prometheus) Query(ctx context.Context, expr string) ([]Sample, error) {
	var data struct {
		ResultType string
		Result     json.RawMessage
	}
	if err := p.api(ctx, "/api/v1/query?query="+url.QueryEscape(expr), &data); err != nil {
		return nil, err
	}
	if data.ResultType != "vector" {
		return nil, fmt.Errorf("promtest: query %s: a %s, must be a vector", expr, data.ResultType)
	}
	var series []struct {
		Metric map[string]string
		Value  [2]any // seconds, and the value in quotes
	}
	if err := json.Unmarshal(data.Result, &series); err != nil {
		return nil, fmt.Errorf("promtest: query %s: %w", expr, err)
	}
	samples := make([]Sample, len(series))
	for i, s := range series {
		value, err := strconv.ParseFloat(fmt.Sprint(s.Value[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("promtest: query %s: %w", expr, err)
		}
		samples[i] = Sample{s.Metric, value}
	}
	return samples, nil
}

// api decodes the data of an answer of the HTTP API.
func (p *Prometheus) api(ctx context.Context, path string, data any) error {
	body, err := p.Get(ctx, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, &struct{ Data any }{data}); err != nil {
		return fmt.Errorf("promtest: GET %s: %w", path, err)
	}
	return nil
}
