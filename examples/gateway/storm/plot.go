package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"
)

// The picture's measures.
const (
	width, left, right = 900, 70, 120
	top, high, gap     = 70, 200, 70
)

// pens are of the variants: colours that everybody can tell apart, and a broad one to be
// seen below the others.
var pens = [...]string{
	`stroke="#D55E00" stroke-width="5"`,
	`stroke="#0072B2" stroke-width="2"`,
	`stroke="#009E73" stroke-width="2"`,
	`stroke="#000" stroke-width="2"`,
}

// panel is a diagram over time.
type panel struct {
	title string
	of    func(sample) float64 // 0 to 1
	marks []mark               // on its axis
}

type mark struct {
	at   float64 // 0 to 1
	text string
}

// panels are those of the picture.
func panels(outcomes []outcome) []panel {
	most := 1
	for _, o := range outcomes {
		for _, s := range o.samples {
			most = max(most, s.queued, s.requests)
		}
	}
	decades := math.Ceil(math.Log10(float64(most)))
	logarithm := func(n int) float64 { return math.Log10(math.Max(1, float64(n))) / decades }
	powers := func() (marks []mark) {
		for i := range int(decades) + 1 {
			marks = append(marks, mark{float64(i) / decades, fmt.Sprintf("%.0f", math.Pow10(i))})
		}
		marks[0].text = "0, 1" // a logarithm has no place for 0
		return marks
	}()
	full := float64(items * len(names))
	return []panel{
		{"commands queued in the worker", func(s sample) float64 { return logarithm(s.queued) }, powers},
		{"requests so far", func(s sample) float64 { return logarithm(s.requests) }, powers},
		{
			"items with good data", func(s sample) float64 { return float64(s.good) / full },
			[]mark{{0, "0"}, {0.5, fmt.Sprint(full / 2)}, {1, fmt.Sprint(full)}},
		},
	}
}

// picture draws the outcomes over time, as SVG.
func picture(outcomes []outcome) []byte {
	var end time.Duration
	for _, o := range outcomes {
		end = max(end, o.until)
	}
	x := func(t time.Duration) float64 { return left + float64(width-left-right)*t.Seconds()/end.Seconds() }
	all := panels(outcomes)
	height := top + len(all)*(high+gap)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%d" y="28" font-size="16">Two consumers of %d items each are deployed while their gateway stalls</text>`+"\n", left, items)
	for i, p := range all {
		y := func(part float64) float64 { return float64(top+i*(high+gap)) + high*(1-part) }
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="#eee"/>`+"\n", x(0), y(1), x(stall)-x(0), high)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" font-weight="bold">%s</text>`+"\n", left, y(1)-8, p.title)
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#777">stall</text>`+"\n", x(stall)-6, y(1)+16)
		for _, m := range p.marks {
			fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ccc"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y(m.at), width-right, left-8, y(m.at)+4, m.text)
		}
		for t := time.Duration(0); t <= end; t += 30 * time.Second {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%.0f s</text>`+"\n", x(t), y(0)+18, t.Seconds())
		}
		for j, o := range outcomes {
			p.curve(&b, o, pens[j], x, y)
		}
	}
	legend(&b, outcomes)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// curve draws an outcome, with a dot where it ends since all is good.
func (p panel) curve(b *bytes.Buffer, o outcome, pen string, x func(time.Duration) float64, y func(float64) float64) {
	var points []string
	for _, s := range o.samples {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x(s.at), y(p.of(s))))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" %s/>`+"\n", strings.Join(points, " "), pen)
	if last := len(o.samples) - 1; o.good && last >= 0 {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4" fill="#fff" %s/>`+"\n", x(o.samples[last].at), y(p.of(o.samples[last])), pen)
	}
}

// legend names the curves.
func legend(b *bytes.Buffer, outcomes []outcome) {
	for i, o := range outcomes {
		y := top + 12 + 20*i
		fmt.Fprintf(b, `<path d="M%d %dh20" %s/><text x="%d" y="%d">%s</text>`+"\n",
			width-right+12, y, pens[i], width-right+38, y+4, o.variant.name)
	}
}
