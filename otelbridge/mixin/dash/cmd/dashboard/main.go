// Command dashboard prints the Grafana dashboard of loopvitals as JSON.
//
//	dashboard -prefix otopcua. -selector 'cluster="eu-1"' >dashboard.json
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the dashboard that the arguments ask for.
func run(args []string, out, messages io.Writer) error {
	var c dash.Config
	flags := flag.NewFlagSet("dashboard", flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.StringVar(&c.Prefix, "prefix", "", "the exporter's name prefix, such as otopcua.")
	flags.StringVar(&c.Selector, "selector", "", `label matchers for every selector, such as 'cluster="eu-1"'`)
	flags.StringVar(&c.Datasource, "datasource", "", "uid of the data source that is selected at first")
	flags.DurationVar(&c.Interval, "interval", 0, "how often values arrive: the scrape or push interval (default 1m)")
	flags.StringVar(&c.RunbookURL, "runbook", "", "page with the headings of docs/operations.md")
	flags.StringVar(&c.Title, "title", "", "the dashboard's title")
	flags.StringVar(&c.UID, "uid", "", "the dashboard's identifier in Grafana")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("dashboard: argument %q: takes flags only", flags.Arg(0))
	}
	return dash.Write(out, c)
}
