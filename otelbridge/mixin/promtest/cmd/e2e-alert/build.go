package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/promtest"
)

// build compiles everything, so that what follows measures no compiler. It
// returns the path of the consumer, in the folder given; the servers find their
// own.
func build(ctx context.Context, out io.Writer, folder string) (consumer string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, buildLimit, fmt.Errorf("not built after %v", buildLimit))
	defer cancel()
	fmt.Fprintln(out, "Programs, of the versions that go.mod pins, compiled where that was not done before:")
	for _, program := range []string{promtest.PrometheusProgram, promtest.AlertmanagerProgram} {
		begun := time.Now()
		path, err := promtest.Build(ctx, program)
		if err != nil {
			return "", err
		}
		tellBuilt(out, program, path, begun)
	}
	begun := time.Now()
	here, err := promtest.Folder(ctx)
	if err != nil {
		return "", err
	}
	consumer = filepath.Join(folder, "consumer")
	examples := filepath.Join(here, "../../../examples")
	if _, err := promtest.GoCommand(ctx, examples, "build", "-o", consumer, "./consumer"); err != nil {
		return "", err
	}
	tellBuilt(out, "consumer", consumer, begun)
	return consumer, nil
}

func tellBuilt(out io.Writer, program, path string, begun time.Time) {
	size := ""
	if info, err := os.Stat(path); err == nil {
		size = fmt.Sprintf("%3d MB", info.Size()>>20)
	}
	fmt.Fprintf(out, "  %-13s %s  %6.1f s\n", program, size, time.Since(begun).Seconds())
}
