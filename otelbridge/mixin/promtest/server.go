package promtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// listening is the line in which both servers tell the port that they got.
var listening = regexp.MustCompile(`msg="Listening on".* address=(127\.0\.0\.1:[0-9]+)`)

// server is a program that answers over HTTP and has a folder of its own.
type server struct {
	*Process
	// URL is where it answers, such as http://127.0.0.1:45679.
	URL string

	client *http.Client
	folder string
}

// startServer builds a program, writes its files into a new folder, starts it
// there and waits until it is ready. ctx bounds all of that, and not the life of
// the server.
func startServer(ctx context.Context, program string, files map[string]string, args ...string) (_ *server, err error) {
	path, err := Build(ctx, program)
	if err != nil {
		return nil, err
	}
	s := &server{client: &http.Client{Transport: &http.Transport{}}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	if s.folder, err = os.MkdirTemp("", "loopvitals-"+program+"-"); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	command := exec.Command(path, args...) //nolint:gosec,noctx // the program that was just built, until Stop
	command.Dir = s.folder
	if s.Process, err = StartProcess(program, command); err != nil {
		return nil, err
	}
	address, err := s.Await(ctx, listening)
	if err != nil {
		return nil, err
	}
	s.URL = "http://" + address
	return s, s.await(ctx, "get ready", func() bool {
		_, err := s.Get(ctx, "/-/ready")
		return err == nil
	})
}

// Get returns the body of an answer with status 200.
func (s *server) Get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("promtest: GET %s: %s: %s", path, response.Status, body)
	}
	return body, err
}

// Stop ends the server as Process.Stop does, and removes its folder.
func (s *server) Stop() error {
	var errs []error
	if s.Process != nil {
		errs = append(errs, s.Process.Stop())
	}
	s.client.CloseIdleConnections()
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}
