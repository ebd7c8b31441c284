// The same small controller as ../subject.cpp, on controller-runtime, so that the two can be measured side by side:
// it watches pods, compares two annotations, patches one when they differ, and notes how long after the stamp in an
// object's annotation a reconcile of it began.
//
// GET /synced waits for the caches; /drain?rounds=N passes every cached key N times and says the seconds;
// /latency says the microseconds of all stamped reconciles so far, and forgets them.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	want  = "bench.holdfast.dev/want"
	have  = "bench.holdfast.dev/have"
	stamp = "bench.holdfast.dev/stamp"
)

func monotonicMicros() int64 {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		panic(err)
	}
	return at.Nano() / 1000
}

type comparer struct {
	client client.Client
	passes atomic.Int64

	mutex     sync.Mutex
	seen      map[string]string
	latencies []int64
}

func (c *comparer) note(pod *corev1.Pod, now int64) {
	text, stamped := pod.Annotations[stamp]
	if !stamped {
		return
	}
	sent, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if key := pod.Namespace + "/" + pod.Name; c.seen[key] != text {
		c.seen[key] = text
		c.latencies = append(c.latencies, now-sent)
	}
}

func (c *comparer) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	now := monotonicMicros()
	defer c.passes.Add(1)
	var pod corev1.Pod
	if err := c.client.Get(ctx, request.NamespacedName, &pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	c.note(&pod, now)
	if pod.Annotations[want] == pod.Annotations[have] {
		return ctrl.Result{}, nil
	}
	base := pod.DeepCopy()
	pod.Annotations[have] = pod.Annotations[want]
	return ctrl.Result{}, c.client.Patch(ctx, &pod, client.MergeFrom(base))
}

func serve(m manager.Manager, c *comparer, kick chan event.GenericEvent) http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("/synced", func(w http.ResponseWriter, r *http.Request) {
		m.GetCache().WaitForCacheSync(r.Context())
		var pods corev1.PodList
		if err := m.GetCache().List(r.Context(), &pods); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "%d\n", len(pods.Items))
	})
	pages.HandleFunc("/drain", func(w http.ResponseWriter, r *http.Request) {
		rounds, _ := strconv.Atoi(r.URL.Query().Get("rounds"))
		var pods corev1.PodList
		if err := m.GetCache().List(r.Context(), &pods, client.UnsafeDisableDeepCopy); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		begin, start := c.passes.Load(), time.Now()
		for range rounds {
			for i := range pods.Items {
				kick <- event.GenericEvent{Object: &pods.Items[i]}
			}
			for c.passes.Load()-begin < int64(len(pods.Items)) {
				time.Sleep(time.Millisecond)
			}
			begin = c.passes.Load()
		}
		fmt.Fprintf(w, "%.6f\n", time.Since(start).Seconds())
	})
	pages.HandleFunc("/latency", func(w http.ResponseWriter, _ *http.Request) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		for _, micros := range c.latencies {
			fmt.Fprintln(w, micros)
		}
		c.latencies = nil
	})
	// What an idle operator holds some time after its start, without waiting for the next garbage collection.
	pages.HandleFunc("/rest", func(http.ResponseWriter, *http.Request) { debug.FreeOSMemory() })
	return pages
}

func run() error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	m, err := manager.New(config, manager.Options{
		Metrics: metricsserver.Options{BindAddress: "127.0.0.1:0"},
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	})
	if err != nil {
		return err
	}
	c := &comparer{client: m.GetClient(), seen: map[string]string{}}
	kick := make(chan event.GenericEvent, 1024)
	err = ctrl.NewControllerManagedBy(m).For(&corev1.Pod{}).
		WatchesRawSource(source.Channel(kick, &handler.EnqueueRequestForObject{})).
		Complete(c)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, serve(m, c, kick)) }()
	fmt.Printf("ready http://%s\n", listener.Addr())
	return m.Start(ctrl.SetupSignalHandler())
}

func main() {
	flag.Parse() // controller-runtime's own --kubeconfig
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
