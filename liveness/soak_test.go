package liveness

import "os"

// soak asks for the long forms of the tests (make soak).
var soak = os.Getenv("LOOPVITALS_SOAK") != ""
