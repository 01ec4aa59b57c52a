//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/loopvitals/loopvitals/examples/pair/engine"
)

// deleteRecord deletes what the engine has of the node at the address, with the
// engine's own tools.
func (s *stage) deleteRecord(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, giveUp)
	defer cancel()
	remove := deleteEtcd
	if s.kind == engine.NATS {
		remove = deleteNATS
	}
	n, err := remove(ctx, s.engineAddress, address)
	if err == nil && n != 1 {
		err = fmt.Errorf("%d records were deleted, not 1", n)
	}
	if err != nil {
		return fmt.Errorf("delete the record of %s: %w", address, err)
	}
	return nil
}

func deleteEtcd(ctx context.Context, endpoint, address string) (n int, err error) {
	client, err := engine.DialEtcd([]string{endpoint})
	if err != nil {
		return 0, err
	}
	defer client.Close()
	all, err := client.Get(ctx, engine.Space, clientv3.WithPrefix())
	if err != nil {
		return 0, err
	}
	for _, kv := range all.Kvs {
		if strings.Contains(string(kv.Value), address) {
			if _, err := client.Delete(ctx, string(kv.Key)); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

func deleteNATS(ctx context.Context, endpoint, address string) (n int, err error) {
	conn, js, err := engine.DialNATS([]string{endpoint})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	bucket, err := js.KeyValue(ctx, engine.Space)
	if err != nil {
		return 0, err
	}
	keys, err := bucket.Keys(ctx)
	if err != nil {
		return 0, err
	}
	for _, key := range keys {
		entry, err := bucket.Get(ctx, key)
		if err != nil || !strings.Contains(string(entry.Value()), address) {
			continue
		}
		if err := bucket.Delete(ctx, key); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
