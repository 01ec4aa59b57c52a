package main

import "context"

// storeOrder is the unit of work of `orders`: it writes the order to the
// database. The loop around it is puller.run.
//
// While the database is away the handler fails, the message comes back, and the
// loop goes round all the same. So the database's own check says what is wrong,
// and `orders` is not blamed for it.
func storeOrder(db *database) handler {
	return func(ctx context.Context, m message) error { return db.store(ctx, m) }
}
