import { randomUUID } from 'node:crypto'
import type { FakeAccount } from './account.ts'
import { ok, type Routes } from './routes.ts'

/** Queues and R2 buckets. */
export const resourceRoutes = (account: FakeAccount): Routes => {
  const queueOf = (id = '') => account.queues.find(({ queue_id }) => queue_id === id)
  const bucketOf = (name = '') => account.buckets.find((bucket) => bucket.name === name)
  return {
    'GET /queues': ({ query }) => {
      const names = query.getAll('name')
      return ok(account.queues.filter(({ queue_name }) => names.length === 0 || names.includes(queue_name)))
    },
    'POST /queues': ({ json }) => {
      const queue = { queue_id: randomUUID(), queue_name: json.queue_name, consumers: [] }
      account.queues.push(queue)
      return ok(queue)
    },
    'POST /queues/:id/consumers': ({ json }, [id]) => {
      queueOf(id)?.consumers.push({ consumer_id: randomUUID(), ...json })
      return ok(json)
    },
    'PUT /queues/:id/consumers/:consumer': ({ json }) => ok(json),
    'GET /queues/:id/consumers': (_, [id]) => ok(queueOf(id)?.consumers),
    'GET /r2/buckets/:name': (_, [name]) => (bucketOf(name) ? ok({ name }) : undefined),
    'POST /r2/buckets': ({ json }) => {
      account.buckets.push({ name: json.name, rules: [], cors: null })
      return ok(json)
    },
    'GET /r2/buckets/:name/lifecycle': (_, [name]) => ok({ rules: bucketOf(name)?.rules }),
    'PUT /r2/buckets/:name/lifecycle': ({ json }, [name]) => {
      const bucket = bucketOf(name)
      if (bucket) bucket.rules = json.rules
      return ok({})
    },
    'GET /r2/buckets/:name/cors': (_, [name]) => {
      const rules = bucketOf(name)?.cors
      return rules ? ok({ rules }) : undefined
    },
    'PUT /r2/buckets/:name/cors': ({ json }, [name]) => {
      const bucket = bucketOf(name)
      if (bucket) bucket.cors = json.rules
      return ok({})
    },
  }
}
