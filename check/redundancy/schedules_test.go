package redundancy

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopvitals/loopvitals/check/cluster"
)

// schedules is how many random schedules of real Nodes a pass tries. The rules alone,
// without Nodes, are tried on many more, see TestPureSchedules.
func schedules() int {
	if n, err := strconv.Atoi(os.Getenv("LOOPVITALS_SCHEDULES")); err == nil {
		return n
	}
	switch {
	case os.Getenv("LOOPVITALS_SOAK") != "":
		return 20_000
	case raceEnabled:
		return 40
	case testing.Short():
		return 100
	default:
		return 800
	}
}

// TestSchedules has real Nodes live through random lives of their cluster, buses that
// lose, repeat and turn messages around, probes and databases that fail, and stops and
// starts. After each step
//
//   - at most one node serves,
//   - one whose role is unknown, and that has peers, does not,
//   - 250 is the level of the active node only,
//
// no node was shown a level twice in a row or ever 255, and when all is well again there
// is one primary, at 250, and the others are secondary, at 240.
func TestSchedules(t *testing.T) {
	if seed, err := strconv.ParseUint(os.Getenv("LOOPVITALS_SEED"), 10, 64); err == nil {
		runSchedule(t, seed, true)
		return
	}
	const shards = 2
	var total, changes atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for shard := range uint64(shards) {
			t.Run(strconv.FormatUint(shard, 10), func(t *testing.T) {
				t.Parallel()
				for seed := shard; seed < uint64(schedules()) && !t.Failed(); seed += shards {
					changes.Add(int64(runSchedule(t, seed, false)))
					total.Add(1)
				}
			})
		}
	})
	t.Logf("%d schedules of %d steps, another node served %d times", total.Load(), stepsEach, changes.Load())
	if !t.Failed() && changes.Load() < total.Load() {
		t.Error("too little happens")
	}
}

// stepsEach is how many steps a schedule has.
const stepsEach = 25

// runSchedule runs the schedule of a seed, and returns how often another node served.
func runSchedule(t *testing.T, seed uint64, verbose bool) (changes int) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(t, seed, verbose)
		p.run()
		changes = p.changes
		if len(p.problems) > 0 {
			t.Errorf("schedule %d, to be run alone with LOOPVITALS_SEED=%d:\n%s", seed, seed, strings.Join(p.problems, "\n"))
		}
	})
	return changes
}

// played is a schedule under way.
type played struct {
	*world
	rng     *rand.Rand
	seed    uint64
	verbose bool
	began   time.Time

	nodes  []string
	stores map[string]*store
	wires  map[string]*wire
	parted map[string]bool      // the bus does not reach it
	since  map[string]time.Time // it was blind
	loss   atomic.Int64         // percent of messages lost, and as many repeated
	delay  atomic.Int64         // the longest, in ms
	gone   []*actor             // were stopped

	changes  int
	serving  string
	problems []string
}

func newPlayed(t *testing.T, seed uint64, verbose bool) *played {
	p := &played{
		world: newWorld(t), rng: rand.New(rand.NewPCG(seed, 5)), seed: seed, verbose: verbose, began: time.Now(),
		nodes:  []string{nodeA, nodeB, nodeC}[:2+seed%2],
		stores: map[string]*store{}, wires: map[string]*wire{},
		parted: map[string]bool{}, since: map[string]time.Time{},
	}
	p.mesh.decide(p.fate)
	for _, address := range p.nodes {
		p.stores[address], p.wires[address] = &store{}, &wire{}
		p.boot(address)
	}
	return p
}

func (p *played) boot(address string) {
	p.world.start(address, asking(p.stores[address]), with(p.wires[address]))
}

// fate is decided by the message alone, so that a seed is one schedule whatever order
// goroutines run in. It is called under the mutex of the mesh.
func (p *played) fate(from, to string, message []byte) []time.Duration {
	if from != to && (p.parted[from] || p.parted[to]) {
		return nil
	}
	h := fnv.New64a()
	fmt.Fprint(h, p.seed, from, to)
	h.Write(message)
	rng := rand.New(rand.NewPCG(h.Sum64(), p.seed))
	copies, loss := 1, p.loss.Load()
	switch r := rng.Int64N(100); {
	case r < loss:
		copies = 0
	case r < 2*loss:
		copies = 2
	}
	arrivals := make([]time.Duration, copies)
	for i := range arrivals {
		arrivals[i] = time.Duration(rng.Int64N(p.delay.Load()+1)) * time.Millisecond
	}
	return arrivals
}

func (p *played) run() {
	for _, n := range p.nodes {
		if p.rng.IntN(3) > 0 {
			p.comeUp(n)
		}
	}
	for range stepsEach {
		p.step()
		p.look()
	}
	p.heal()
	p.converged()
	for _, a := range p.actors {
		p.gone = append(p.gone, a)
	}
	for _, a := range p.gone {
		p.wasShown(a)
	}
}

// step lets something happen that can, and then some time pass.
func (p *played) step() {
	for {
		node, what := p.nodes[p.rng.IntN(len(p.nodes))], actions[p.rng.IntN(len(actions))]
		at := time.Since(p.began)
		if !what.do(p, node) {
			continue
		}
		pause := []time.Duration{0, 10, 250, 1000, 3000, 7000, 16000}[p.rng.IntN(7)] * time.Millisecond
		if p.verbose {
			p.t.Logf("%8v %s %s, then %v", at, node, what.name, pause)
		}
		p.pass(pause)
		return
	}
}

// pass is sleep with a look at each heartbeat.
func (p *played) pass(d time.Duration) {
	for ; d > beatEvery; d -= beatEvery {
		p.sleep(beatEvery)
		p.tell()
		synctest.Wait()
		p.look()
	}
	p.sleep(d)
}

type action struct {
	name string
	do   func(p *played, address string) (done bool)
}

// actions are what can happen.
var actions = []action{
	{"comes up", (*played).comeUp},
	{"comes up", (*played).comeUp},
	{"joins", func(p *played, n string) bool {
		if p.at(n) >= 0 || p.blind[n] {
			return false
		}
		p.join(n, driver)
		return true
	}},
	{"leaves", func(p *played, n string) bool {
		if p.at(n) < 0 || p.blind[n] || p.members[p.at(n)].Status != cluster.Up {
			return false
		}
		p.set(n, cluster.Leaving)
		return true
	}},
	{"goes", func(p *played, n string) bool {
		if p.at(n) < 0 || p.members[p.at(n)].Status != cluster.Leaving {
			return false
		}
		p.remove(n)
		return true
	}},
	{"hears no more of the cluster", func(p *played, n string) bool {
		if p.blind[n] {
			return false
		}
		p.blind[n], p.since[n] = true, time.Now()
		return true
	}},
	{"hears of the cluster again", func(p *played, n string) bool {
		if !p.blind[n] {
			return false
		}
		delete(p.blind, n)
		p.tell()
		return true
	}},
	{"is evicted", (*played).evict},
	{"is stopped and starts", func(p *played, n string) bool {
		a := p.actors[n]
		if p.at(n) >= 0 {
			return false
		}
		a.stop()
		synctest.Wait()
		p.gone = append(p.gone, a)
		p.boot(n)
		p.tell()
		return true
	}},
	{"is parted from the bus or not", func(p *played, n string) bool { p.setParted(n, !p.parted[n]); return true }},
	{"has a bus that loses and delays", func(p *played, _ string) bool {
		p.loss.Store(p.rng.Int64N(40))
		p.delay.Store(p.rng.Int64N(12000))
		return true
	}},
	{"has a bus that does not", func(p *played, _ string) bool { p.loss.Store(0); p.delay.Store(0); return true }},
	{"is not reached by another", func(p *played, n string) bool {
		p.wires[p.nodes[p.rng.IntN(len(p.nodes))]].answer(n, refuse)
		return true
	}},
	{"is reached", func(p *played, n string) bool {
		for _, w := range p.wires {
			w.answer(n, nil)
		}
		return true
	}},
	{"has no database", func(p *played, n string) bool { p.stores[n].then(refuse); return true }},
	{"has a database", func(p *played, n string) bool { p.stores[n].then(nil); return true }},
	{"hears garbage", func(p *played, n string) bool {
		p.mesh.inject([]byte(`{"v":1,"kind":"snapshot","token":18446744073709551615,"sequence":1,"revision":1,"role":"driver","builder":"` + n +
			`","nodes":[{"node":"` + n + `","role":"primary"}]}`))
		return true
	}},
}

func (p *played) comeUp(n string) bool {
	if p.blind[n] {
		return false
	}
	if i := p.at(n); i < 0 {
		p.join(n, driver)
	} else if p.members[i].Status != cluster.Joining {
		return false
	}
	p.set(n, cluster.Up)
	return true
}

// evict takes a silent member away: it bars the others until its claim has ended.
func (p *played) evict(n string) bool {
	if i := p.at(n); i >= 0 && p.blind[n] {
		m := &p.members[i]
		m.Status, m.HoldUntil = cluster.Removed, p.actors[n].script.View().ValidUntil
		p.tell()
		return true
	}
	return false
}

func (p *played) setParted(n string, parted bool) {
	p.mesh.mu.Lock()
	defer p.mesh.mu.Unlock()
	p.parted[n] = parted
}

// problem notes what must not be.
func (p *played) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf("%v: ", time.Since(p.began))+fmt.Sprintf(format, args...))
}

// look tests what holds at every moment.
func (p *played) look() {
	serving := ""
	for _, n := range p.nodes {
		a := p.actors[n]
		st := a.standing()
		serves := a.Site(SiteWrite).IsActive()
		active := cluster.Ask(a.script, driver).Active
		was := a.screen.was()
		switch {
		case serves && serving != "":
			p.problem("%s serves, and so does %s", n, serving)
		case serves && !active:
			p.problem("%s serves, and is not the active one", n)
		case serves && st.effective() == RoleUnknown && st.upInRole() > 1:
			p.problem("%s serves without a role, beside %d", n, st.upInRole()-1)
		}
		if !active && a.ServiceLevel() == 250 {
			p.problem("%s is at 250, and is not the active one", n)
		}
		if !active && len(was) > 0 && was[len(was)-1] == 250 {
			p.problem("%s shows 250, and is not the active one", n)
		}
		if serves {
			serving = n
		}
	}
	if serving != "" && serving != p.serving {
		p.serving = serving
		p.changes++
	}
}

// wasShown tests all that a node has shown.
func (p *played) wasShown(a *actor) {
	was := a.screen.was()
	for i, level := range was {
		if level == 255 {
			p.problem("%s showed %v", a.address(), was)
		}
		if i > 0 && level == was[i-1] {
			p.problem("%s showed %d twice: %v", a.address(), level, was)
		}
	}
}

// heal makes all well.
func (p *played) heal() {
	p.loss.Store(0)
	p.delay.Store(0)
	for _, n := range p.nodes {
		p.setParted(n, false)
		p.stores[n].then(nil)
		for _, w := range p.wires {
			w.answer(n, nil)
		}
		delete(p.blind, n)
		if i := p.at(n); i >= 0 && p.members[i].Status == cluster.Leaving {
			p.remove(n)
		}
		p.tell()
		p.comeUp(n)
	}
	p.pass(45 * time.Second)
}

// converged tests that one node is the primary and the others are not.
func (p *played) converged() {
	p.look()
	var roles []Role
	for _, n := range p.nodes {
		a := p.actors[n]
		role, level := a.Role(), a.ServiceLevel()
		roles = append(roles, role)
		if want := map[Role]uint8{Primary: 250, Secondary: 240}[role]; level != want || !slices.Contains(a.screen.was(), level) {
			p.problem("in the end %s is %v, at %d, and shows %v", n, role, level, a.screen.was())
		}
	}
	slices.Sort(roles)
	if want := append([]Role{Primary}, slices.Repeat([]Role{Secondary}, len(p.nodes)-1)...); !slices.Equal(roles, want) {
		p.problem("in the end the roles are %v", roles)
	}
	if _, err := p.admitted(); err != nil {
		p.problem("in the end the primary does not serve: %v", err)
	}
}

// admitted has the primary do some work.
func (p *played) admitted() (token uint64, err error) {
	for _, n := range p.nodes {
		if a := p.actors[n]; a.Role() == Primary {
			work, release, err := a.Site(SiteWrite).Acquire(context.Background())
			defer release()
			token, _ = cluster.Token(work)
			return token, err
		}
	}
	return 0, ErrNotPrimary
}
