package promtest_test

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// suite is a file of promtool's unit tests, as far as tests look into it.
type suite struct {
	RuleFiles []string `yaml:"rule_files"`
	Every     string   `yaml:"evaluation_interval"`
	Scenes    []scene  `yaml:"tests"`
}

type scene struct {
	Name    string      `yaml:"name"`
	Every   string      `yaml:"interval"`
	Series  any         `yaml:"input_series"`
	Alerts  []alertCase `yaml:"alert_rule_test,omitempty"`
	Queries []queryCase `yaml:"promql_expr_test,omitempty"`
}

type alertCase struct {
	Alert string     `yaml:"alertname"`
	At    string     `yaml:"eval_time"`
	Fires []expected `yaml:"exp_alerts,omitempty"`
}

type expected struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations,omitempty"`
}

type queryCase struct {
	Expr    string `yaml:"expr"`
	At      string `yaml:"eval_time"`
	Samples any    `yaml:"exp_samples,omitempty"`
}

func readSuite(t *testing.T, file string) suite {
	t.Helper()
	text, err := os.ReadFile(file)
	noError(t, err)
	var s suite
	noError(t, yaml.Unmarshal(text, &s))
	return s
}

// about returns the part of a suite that asks for one alert by name.
func (s suite) about(alert string) suite {
	part := s
	part.Scenes = nil
	for _, scene := range s.Scenes {
		whole := scene
		scene.Alerts, scene.Queries = nil, nil
		for _, c := range whole.Alerts {
			if c.Alert == alert {
				scene.Alerts = append(scene.Alerts, c)
			}
		}
		for _, q := range whole.Queries {
			if strings.Contains(q.Expr, `alertname="`+alert+`"`) {
				scene.Queries = append(scene.Queries, q)
			}
		}
		if len(scene.Alerts)+len(scene.Queries) > 0 {
			part.Scenes = append(part.Scenes, scene)
		}
	}
	return part
}
