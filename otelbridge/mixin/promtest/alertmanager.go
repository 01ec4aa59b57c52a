package promtest

import "context"

// Alertmanager is a server that runs until Stop.
type Alertmanager struct{ *server }

// StartAlertmanager starts an Alertmanager with the text of its
// alertmanager.yml, on its own without a cluster, and waits until it is ready;
// ctx bounds the start only.
func StartAlertmanager(ctx context.Context, config string) (*Alertmanager, error) {
	s, err := startServer(ctx, AlertmanagerProgram, map[string]string{"alertmanager.yml": config},
		"--config.file=alertmanager.yml", "--storage.path=data",
		"--web.listen-address=127.0.0.1:0", "--cluster.listen-address=")
	if err != nil {
		return nil, err
	}
	return &Alertmanager{s}, nil
}
