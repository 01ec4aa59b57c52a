package catalogue

// An ID names one metric of the catalogue. IDs count from 0 in the order in which
// the documentation lists the metrics.
type ID int

// The metrics. Count is how many there are.
const (
	ProcessorStatus ID = iota
	ProcessorReason
	ProcessorHeartbeatAge
	ProcessorLastHeartbeat
	ProcessorStalenessThreshold
	ProcessorBusyAge
	ProcessorHeartbeats
	ProcessorLag
	ProcessorLagThreshold
	ProcessorPosition
	ProcessorFaults
	ProcessorStarts
	ProcessorRebuilding
	BoardProcessors
	BoardOldestAge
	BoardObserved
	InternalEvents
	ObserverLateness
	ExportDropped
	TierStatus
	TierChecks
	CheckStatus
	CheckDuration
	CheckHung
	CheckLastRun
	ServiceLevel
	ServiceLevelChange
	PrimaryGateDenied
	RedundancyRole
	SnapshotAge
	PeerProbe
	RedundancyIgnored
	RedundancyObserved
	ResubscribeInFlight
	ResubscribeOldestAge
	ResubscribeSends
	ResubscribePresumedLost
	ResubscribeBackoff
	Count
)

// Keys of the attributes. A metric with the key KeyBoard has it only where the
// board has a name.
const (
	KeyBoard     = "board"
	KeyProcessor = "processor"
	KeyStatus    = "status"
	KeyReason    = "reason"
	KeyKind      = "kind"
	KeyTier      = "tier"
	KeyCheck     = "check"
	KeyOutcome   = "outcome"
	KeyLevel     = "level"
	KeySite      = "site"
	KeyRole      = "role"
	KeyPeer      = "peer"
	KeyGuard     = "guard"
)

// metrics is the catalogue by ID. Keys are sorted, as every output has them.
var metrics = [Count]Metric{
	ProcessorStatus: {
		"liveness.processor.status", State, "1", keys(KeyBoard, KeyProcessor, KeyStatus),
		"1 for the status of the processor, 0 for the others.",
	},
	ProcessorReason: {
		"liveness.processor.reason", State, "1", keys(KeyBoard, KeyProcessor, KeyReason),
		"1 for the reason of the status; other reasons have no series.",
	},
	ProcessorHeartbeatAge: {
		"liveness.processor.heartbeat.age", Seconds, "s", keys(KeyBoard, KeyProcessor),
		"Age of the last beat when collected, while a beat must follow.",
	},
	ProcessorLastHeartbeat: {
		"liveness.processor.last_heartbeat_timestamp", Seconds, "s", keys(KeyBoard, KeyProcessor),
		"Calendar time of the last beat, while a beat must follow.",
	},
	ProcessorStalenessThreshold: {
		"liveness.processor.staleness_threshold", Seconds, "s", keys(KeyBoard, KeyProcessor),
		"Age of the last beat past which the processor is unhealthy.",
	},
	ProcessorBusyAge: {
		"liveness.processor.busy.age", Seconds, "s", keys(KeyBoard, KeyProcessor),
		"How long the unit of work in progress has gone on without a beat.",
	},
	ProcessorHeartbeats: {
		"liveness.processor.heartbeats", Counter, "{heartbeat}", keys(KeyBoard, KeyProcessor),
		"Beats since registration, those of workers included.",
	},
	ProcessorLag: {
		"liveness.processor.lag", Gauge, "{event}", keys(KeyBoard, KeyProcessor),
		"Events behind the head, as last reported.",
	},
	ProcessorLagThreshold: {
		"liveness.processor.lag_threshold", Gauge, "{event}", keys(KeyBoard, KeyProcessor),
		"Lag past which a processor that is no rebuild is degraded.",
	},
	ProcessorPosition: {
		"liveness.processor.position", Gauge, "{event}", keys(KeyBoard, KeyProcessor),
		"Position in the input, as last reported.",
	},
	ProcessorFaults: {
		"liveness.processor.faults", Counter, "{fault}", keys(KeyBoard, KeyProcessor),
		"Incarnations of the processor that faulted.",
	},
	ProcessorStarts: {
		"liveness.processor.starts", Counter, "{start}", keys(KeyBoard, KeyProcessor),
		"Incarnations of the processor that reported anything.",
	},
	ProcessorRebuilding: {
		"liveness.processor.rebuilding", State, "1", keys(KeyBoard, KeyProcessor),
		"1 for a rebuild, 0 for any other processor.",
	},
	BoardProcessors: {
		"liveness.board.processors", State, "{processor}", keys(KeyBoard, KeyStatus),
		"Processors of the board, by status.",
	},
	BoardOldestAge: {
		"liveness.board.oldest_age", Seconds, "s", keys(KeyBoard),
		"Age of the oldest beat on the board that another must follow.",
	},
	BoardObserved: {
		"liveness.board.observed_timestamp", Seconds, "s", keys(KeyBoard),
		"Calendar time at which these values were read.",
	},
	InternalEvents: {
		"liveness.internal.events", Counter, "{event}", keys(KeyBoard, KeyKind),
		"What the board and its monitor refused, corrected or lost.",
	},
	ObserverLateness: {
		"liveness.observer.lateness", Seconds, "s", keys(KeyBoard),
		"How late the watching side was last.",
	},
	ExportDropped: {
		"liveness.export.dropped_series", Gauge, "{series}", nil,
		"Series that a limit hides, as far as the exporter knows the limit.",
	},
	TierStatus: {
		"health.tier.status", State, "1", keys(KeyStatus, KeyTier),
		"1 for the tier's status when it was last evaluated, 0 for the others; unknown when that is too long ago.",
	},
	TierChecks: {
		"health.tier.checks", State, "{check}", keys(KeyTier),
		"Checks on the tier.",
	},
	CheckStatus: {
		"health.check.status", State, "1", keys(KeyCheck, KeyStatus, KeyTier),
		"1 for the check's status when it last ran, 0 for the others; unknown when that is too long ago.",
	},
	CheckDuration: {
		"health.check.duration", Histogram, "s", keys(KeyCheck, KeyOutcome),
		"How long the check's runs took, at most their limit.",
	},
	CheckHung: {
		"health.check.hung", State, "{run}", keys(KeyCheck),
		"Runs past their limit that have not returned.",
	},
	CheckLastRun: {
		"health.check.last_run_timestamp", Seconds, "s", keys(KeyCheck),
		"Calendar time at which the newest run with an answer started.",
	},
	ServiceLevel: {
		"redundancy.service_level", Gauge, "", nil,
		"Service level that the node shows to clients, 0 to 254.",
	},
	ServiceLevelChange: {
		"redundancy.service_level_change", Counter, "{change}", keys(KeyLevel),
		"Changes of the service level to a level, the first level included.",
	},
	PrimaryGateDenied: {
		"redundancy.primary_gate_denied", Counter, "{denial}", keys(KeyReason, KeySite),
		"Operations that the primary gate denied.",
	},
	RedundancyRole: {
		"redundancy.role", State, "1", keys(KeyRole),
		"1 for the role that the primary gate goes by, 0 for the others.",
	},
	SnapshotAge: {
		"redundancy.snapshot.age", Seconds, "s", nil,
		"Age of the newest snapshot of the roles, since it was taken in.",
	},
	PeerProbe: {
		"redundancy.peer_probe", Counter, "{probe}", keys(KeyOutcome, KeyPeer),
		"Probes of a peer's endpoint by this node.",
	},
	RedundancyIgnored: {
		"redundancy.ignored", Counter, "{event}", keys(KeyKind),
		"Messages that had no effect, and calls that failed.",
	},
	RedundancyObserved: {
		"redundancy.observed_timestamp", Seconds, "s", nil,
		"Calendar time at which the values of redundancy were read.",
	},
	ResubscribeInFlight: {
		"resubscribe.in_flight", State, "1", keys(KeyGuard),
		"1 while a subscribe request waits for its answer, 0 otherwise.",
	},
	ResubscribeOldestAge: {
		"resubscribe.oldest_age", Seconds, "s", keys(KeyGuard),
		"Age of the subscribe request in flight when collected, while there is one.",
	},
	ResubscribeSends: {
		"resubscribe.sends", Counter, "{request}", keys(KeyGuard),
		"Subscribe requests that were begun.",
	},
	ResubscribePresumedLost: {
		"resubscribe.presumed_lost", Counter, "{request}", keys(KeyGuard),
		"Subscribe requests that had no answer up to the ceiling.",
	},
	ResubscribeBackoff: {
		"resubscribe.backoff", Seconds, "s", keys(KeyGuard),
		"Delay in force between subscribe requests.",
	},
}

func keys(sorted ...string) []string { return sorted }
