package cluster

// sourceFailed is the description when the source panicked; why is for the log.
const sourceFailed = "the membership source failed"

var descriptions = [reasonCount]string{
	ReasonStarting:     "cluster not available yet",
	ReasonNotClustered: "not clustered",
	ReasonActive:       "active",
	ReasonStandby:      "standby",
	ReasonHeld:         "waiting for a member that is gone and may still act",
	ReasonExpired:      "not confirmed by the cluster in time",
	ReasonNotUp:        "not an Up member",
	ReasonNoRole:       "holds none of the roles asked for",
	ReasonNoMember:     "no Up member in scope",
}

// describe is the reason as a text for people.
func describe(r Reason) string {
	if int(r) < reasonCount {
		return descriptions[r]
	}
	return r.String()
}
