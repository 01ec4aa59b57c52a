package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestPicture is SVG that can be read, and has every variant in every panel.
func TestPicture(t *testing.T) {
	outcomes := asTheyMustBe()
	for i := range outcomes {
		o := &outcomes[i]
		o.until = stall + time.Minute
		for at := time.Duration(0); at <= o.until; at += 10 * time.Second {
			o.samples = append(o.samples, sample{at: at, requests: int(at / time.Second), queued: 3, good: 488})
		}
	}
	text := string(picture(outcomes))
	if n := strings.Count(text, "<polyline"); n != 12 {
		t.Errorf("%d curves", n)
	}
	for _, v := range variants() {
		if !strings.Contains(text, ">"+v.name+"<") {
			t.Errorf("no %q", v.name)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("not all of it can be drawn")
	}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
