package main

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// readPod refuses fields that a pod does not have.
func readPod(t *testing.T, file string) *corev1.Pod {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	pod := new(corev1.Pod)
	if err := yaml.UnmarshalStrict(text, pod); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if pod.APIVersion != "v1" || pod.Kind != "Pod" {
		t.Fatalf("%s: %s %s", file, pod.APIVersion, pod.Kind)
	}
	return pod
}

var pods = []string{"pod.yaml", "pod-hostnetwork.yaml"}

// containersOf returns the adapter's container, which is a sidecar, and the
// consumer's.
func containersOf(t *testing.T, pod *corev1.Pod) (adapter, consumer *corev1.Container) {
	t.Helper()
	if len(pod.Spec.InitContainers) != 1 || len(pod.Spec.Containers) != 1 {
		t.Fatalf("%d init containers and %d containers", len(pod.Spec.InitContainers), len(pod.Spec.Containers))
	}
	adapter, consumer = &pod.Spec.InitContainers[0], &pod.Spec.Containers[0]
	if adapter.Name != "adapter" || consumer.Name != "consumer" {
		t.Fatalf("init container %s and container %s", adapter.Name, consumer.Name)
	}
	if p := adapter.RestartPolicy; p == nil || *p != corev1.ContainerRestartPolicyAlways {
		t.Error("the adapter is no sidecar: the consumer would wait for its end")
	}
	return adapter, consumer
}

// TestPodsAreClosed looks at what a pod must not be allowed.
func TestPodsAreClosed(t *testing.T) {
	for _, file := range pods {
		t.Run(file, func(t *testing.T) {
			pod := readPod(t, file)
			s := pod.Spec.SecurityContext
			if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 {
				t.Error("runs as root")
			}
			if s.FSGroup == nil || s.RunAsGroup == nil || *s.FSGroup != *s.RunAsGroup {
				t.Error("the files of the volumes are not its group's, so it cannot read the token")
			}
			if a := pod.Spec.AutomountServiceAccountToken; a == nil || *a {
				t.Error("has a token for the API server, which it does not need")
			}
			adapter, consumer := containersOf(t, pod)
			for _, c := range []*corev1.Container{adapter, consumer} {
				s := c.SecurityContext
				switch {
				case s == nil, s.ReadOnlyRootFilesystem == nil, !*s.ReadOnlyRootFilesystem,
					s.AllowPrivilegeEscalation == nil, *s.AllowPrivilegeEscalation,
					s.Capabilities == nil, !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}):
					t.Errorf("container %s is allowed too much: %+v", c.Name, s)
				}
				if c.Resources.Limits.Memory().IsZero() {
					t.Errorf("container %s has no limit on its memory", c.Name)
				}
				if c.Image != consumer.Image {
					t.Errorf("container %s has another image", c.Name)
				}
			}
			if limit := adapter.Resources.Limits.Memory().Value(); limit > 64<<20 {
				t.Errorf("the adapter may have %d bytes", limit)
			}
		})
	}
}

// TestPodsHaveWhatTheyName follows each path of a command line to a volume.
func TestPodsHaveWhatTheyName(t *testing.T) {
	config := readAdapter(t)
	for _, file := range pods {
		t.Run(file, func(t *testing.T) {
			pod := readPod(t, file)
			adapter, consumer := containersOf(t, pod)
			if want := []string{config.Command[0], "adapter", "--config", configPath}; !slices.Equal(adapter.Command, want) {
				t.Errorf("the adapter is %q: must be %q", adapter.Command, want)
			}
			if want := []string{consumerPath}; !slices.Equal(consumer.Command, want) {
				t.Errorf("the consumer is %q: must be %q", consumer.Command, want)
			}
			compareFlags(t, config, consumer.Args)
			for _, at := range []struct {
				container *corev1.Container
				path      string
				write     bool
			}{
				{adapter, configPath, false},
				{adapter, tokenPath, false},
				{adapter, socketPath, true}, // who connects to a socket writes to it
				{consumer, tokenPath, false},
				{consumer, socketPath, true},
				{consumer, statePath, true},
				{consumer, path.Join(tempFolder, "any"), true},
			} {
				i := slices.IndexFunc(at.container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == path.Dir(at.path) })
				if i < 0 {
					t.Errorf("%s: container %s has no volume for %s", file, at.container.Name, at.path)
					continue
				}
				mount := at.container.VolumeMounts[i]
				if mount.ReadOnly == at.write {
					t.Errorf("container %s, %s: read only %v", at.container.Name, at.path, mount.ReadOnly)
				}
				compareVolume(t, pod, mount.Name, at.path)
			}
			if pod.Spec.HostNetwork != (file == "pod-hostnetwork.yaml") {
				t.Errorf("on the host's network: %v", pod.Spec.HostNetwork)
			}
		})
	}
}

// compareVolume requires that a volume has the file.
func compareVolume(t *testing.T, pod *corev1.Pod, name, file string) {
	t.Helper()
	i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
	if i < 0 {
		t.Errorf("no volume %s", name)
		return
	}
	v := pod.Spec.Volumes[i]
	if v.Projected == nil {
		if v.EmptyDir == nil || v.EmptyDir.SizeLimit == nil {
			t.Errorf("volume %s has no limit on its size", name)
		}
		return
	}
	if m := v.Projected.DefaultMode; m == nil || *m != 0o440 {
		t.Errorf("volume %s: the token is to be read by the group, and by nobody else", name)
	}
	var files, secrets []string
	for _, s := range v.Projected.Sources {
		switch {
		case s.Secret != nil:
			for _, item := range s.Secret.Items {
				files, secrets = append(files, item.Path), append(secrets, item.Path)
			}
		case s.ConfigMap != nil:
			for _, item := range s.ConfigMap.Items {
				files = append(files, item.Path)
			}
		}
	}
	if !slices.Contains(files, path.Base(file)) {
		t.Errorf("volume %s has %q, and not %s", name, files, file)
	}
	if want := []string{path.Base(tokenPath)}; !slices.Equal(secrets, want) {
		t.Errorf("volume %s has the secrets %q: must be %q", name, secrets, want)
	}
}

// probesOf returns the probes of a container by name.
func probesOf(c *corev1.Container) map[string]*corev1.Probe {
	all := map[string]*corev1.Probe{}
	for name, p := range map[string]*corev1.Probe{
		c.Name + " startup": c.StartupProbe, c.Name + " readiness": c.ReadinessProbe, c.Name + " liveness": c.LivenessProbe,
	} {
		if p != nil {
			all[name] = p
		}
	}
	return all
}

// TestExecProbes runs the probes of the pod that has a network of its own, and
// sees where they ask.
func TestExecProbes(t *testing.T) {
	adapter, consumer := containersOf(t, readPod(t, "pod.yaml"))
	config := readAdapter(t)
	healthAddress := flagsOf(t, consumer.Args)["serve"]
	for name, asks := range map[string]struct{ address, path string }{
		"consumer startup":   {healthAddress, "/health/ready"},
		"consumer readiness": {healthAddress, "/health/ready"},
		"consumer liveness":  {healthAddress, "/healthz"},
		"adapter readiness":  {config.Listen.String(), config.ReadyPath},
	} {
		probes := probesOf(consumer)
		if strings.HasPrefix(name, adapter.Name) {
			probes = probesOf(adapter)
		}
		p := probes[name]
		if p == nil || p.Exec == nil {
			t.Errorf("no exec probe for %s", name)
			continue
		}
		askedBy(t, p.Exec.Command, asks.address, asks.path)
		if p.TimeoutSeconds < 2 {
			t.Errorf("%s: the kubelet waits for %d s, which the command's own deadline of 1 s does not fit into", name, p.TimeoutSeconds)
		}
	}
	if n := len(probesOf(adapter)) + len(probesOf(consumer)); n != 4 {
		t.Errorf("%d probes: must be 4", n)
	}
}

// TestHTTPProbes compares the probes of the pod on the host's network with what
// the adapter takes.
func TestHTTPProbes(t *testing.T) {
	adapter, consumer := containersOf(t, readPod(t, "pod-hostnetwork.yaml"))
	config := readAdapter(t)
	probes := probesOf(consumer)
	for name, path := range map[string]string{
		"consumer startup": config.StartupPath, "consumer readiness": config.ReadyPath, "consumer liveness": config.LivePath,
	} {
		p := probes[name]
		if p == nil || p.HTTPGet == nil {
			t.Errorf("no HTTP probe for %s", name)
			continue
		}
		if p.TimeoutSeconds < 2 {
			t.Errorf("%s: the kubelet waits for %d s: a connection request that was dropped comes again after 1 s", name, p.TimeoutSeconds)
		}
		g := p.HTTPGet
		if g.Host != config.Listen.Addr().String() || g.Port.IntValue() != int(config.Listen.Port()) || g.Path != path ||
			g.Scheme != "" || len(g.HTTPHeaders) > 0 {
			t.Errorf("%s asks %+v: must be http://%v%s", name, *g, config.Listen, path)
		}
	}
	if len(probes) != 3 || len(probesOf(adapter)) != 0 {
		t.Errorf("%d and %d probes", len(probes), len(probesOf(adapter)))
	}
	if f, p := probes["consumer liveness"].FailureThreshold, probes["consumer liveness"].PeriodSeconds; f < 3 || p < 2 {
		t.Errorf("%d failures %d s apart restart the node: one lost sample must not", f, p)
	}
}
