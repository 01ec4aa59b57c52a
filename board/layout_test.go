package board

import (
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"
)

const cacheLine = 64

// TestLayout: a record is two cache lines without pointers, and reporters are
// aligned to lines, so that neighbours do not disturb each other.
func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(record{}); n != 2*cacheLine {
		t.Errorf("a record has %d bytes, want %d", n, 2*cacheLine)
	}
	if n := unsafe.Sizeof(Reporter{}); n != 3*cacheLine {
		t.Errorf("a Reporter has %d bytes, want %d", n, 3*cacheLine)
	}
	if hasPointers(reflect.TypeFor[record]()) {
		t.Error("a record holds a pointer")
	}
	b := New()
	for i := range 2 * slabAfter {
		r := b.MustRegister(Spec{ID: fmt.Sprint(i)})
		if uintptr(unsafe.Pointer(r))%cacheLine != 0 {
			t.Fatalf("Reporter %d is not aligned", i)
		}
	}
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Uint64, reflect.Uint32, reflect.Int64, reflect.Uint8, reflect.Bool:
		return false
	}
	return true
}

// TestWord: packing keeps its parts, at the ends of each range.
func TestWord(t *testing.T) {
	for _, at := range []stamp{0, 1, maxStamp - 1, maxStamp} {
		for c := range codeClosed + 1 {
			for cell := range 1 << cellBits {
				w := pack(at, c, cell)
				if w.stamp() != at || w.code() != c || w.cell() != cell {
					t.Fatalf("pack(%d, %d, %d) gives %d, %d, %d", at, c, cell, w.stamp(), w.code(), w.cell())
				}
				if exact(uint64(w.reading())) {
					t.Fatalf("the reading of pack(%d, %d, %d) says to read a clock", at, c, cell)
				}
			}
		}
	}
	if codeClosed >= code(stay) {
		t.Error("the codes do not fit")
	}
}

// TestReportsDoNotAllocate, and neither do the passes.
func TestReportsDoNotAllocate(t *testing.T) {
	b := New()
	r := b.MustRegister(Spec{ID: "orders"})
	pooled := b.MustRegister(Spec{ID: "billing"})
	w, err := pooled.Worker("1")
	if err != nil {
		t.Fatal(err)
	}
	var o Observation
	for name, report := range map[string]func(){
		"Beat":        r.Beat,
		"BeatLag":     func() { r.BeatLag(3) },
		"SetLag":      func() { r.SetLag(4) },
		"SetPosition": func() { r.SetPosition(5) },
		"Idle":        r.Idle,
		"Busy":        r.Busy,
		"BusyFor":     func() { r.BusyFor(1) },
		"Done":        r.Done,
		"Standby":     r.Standby,
		"Resume":      r.Resume,
		"Worker.Beat": w.Beat,
		"Get":         func() { b.Get("orders") },
		"All": func() {
			for o := range b.All() {
				_ = o
			}
		},
		"Sweep": func() {
			for s := b.Sweep(); s.Next(); {
				s.Observe(&o)
			}
		},
	} {
		report()
		if n := testing.AllocsPerRun(100, report); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestNilIsFree: every method of a nil Board and a nil Reporter is harmless.
func TestNilIsFree(t *testing.T) {
	for _, v := range []reflect.Value{reflect.ValueOf((*Board)(nil)), reflect.ValueOf((*Reporter)(nil))} {
		for i := range v.NumMethod() {
			method := v.Type().Method(i)
			if method.Name == "MustRegister" || method.Name == "Register" {
				continue // below
			}
			args := make([]reflect.Value, v.Method(i).Type().NumIn())
			for j := range args {
				args[j] = reflect.Zero(v.Method(i).Type().In(j))
			}
			v.Method(i).Call(args)
		}
	}
	var b *Board
	if r, err := b.Register(Spec{}); r != nil || err != nil {
		t.Errorf("nil Board registers %v, %v", r, err)
	}
	if r := b.MustRegister(Spec{}); r != nil {
		t.Errorf("nil Board registers %v", r)
	}
	for o := range b.All() {
		t.Errorf("nil Board shows %v", o)
	}
}

// TestZeroBoard: it registers nothing and says so, shows nothing, and nothing
// panics; neither do a nil option and a nil context.
func TestZeroBoard(t *testing.T) {
	var b Board
	if r, err := b.Register(Spec{ID: "orders"}); r != nil || err == nil {
		t.Errorf("zero Board registers %v, %v", r, err)
	}
	if o, ok := b.Get("orders"); ok {
		t.Errorf("zero Board shows %v", o)
	}
	for o := range b.All() {
		t.Errorf("zero Board shows %v", o)
	}
	if b.Now() != 0 || b.Len() != 0 || b.Remove("orders") || b.ClockAge() != 0 || b.Run(t.Context()) != nil {
		t.Error("a zero Board does something")
	}
	if new(Sweep).Next() {
		t.Error("a zero Sweep has a processor")
	}
	New(nil, WithCoarseClock(0), nil).MustRegister(Spec{ID: "orders"})
}

func TestDefaultInterval(t *testing.T) {
	b := New()
	b.MustRegister(Spec{ID: "orders"})
	if o, _ := b.Get("orders"); o.Interval != 250*time.Millisecond {
		t.Errorf("interval %v, want 250ms", o.Interval)
	}
}

func TestStateString(t *testing.T) {
	for s := range 256 {
		want := fmt.Sprintf("state_%d", s)
		if s < len(stateNames) {
			want = stateNames[s]
		}
		if got := State(s).String(); got != want {
			t.Errorf("State(%d) is %q, want %q", s, got, want)
		}
	}
}
