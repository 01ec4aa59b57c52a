package cluster

// Ask decides with what the source says now. A source that is nil or panics has
// said nothing, which is ReasonStarting and so not active (S1.47, R27).
func Ask(src Source, rolePreference ...string) (d Decision) {
	now, v := read(src)
	return Decide(v, now, rolePreference...)
}

// read reads the clock and then the view, or nothing at all.
func read(src Source) (now Instant, v *View) {
	if src == nil {
		return 0, nil
	}
	defer func() {
		if recover() != nil {
			now, v = 0, nil
		}
	}()
	now = src.Now()
	return now, src.View()
}
