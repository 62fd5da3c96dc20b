import { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono'

/** Polls are compared with this route, which reads one row of an object and does nothing else. */
interface BareEnv {
  ROWS: DurableObjectNamespace<RowObject>
}

export class RowObject extends DurableObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, value TEXT NOT NULL)')
    ctx.storage.sql.exec("INSERT OR IGNORE INTO rows VALUES ('row', 'value')")
  }

  read(id: string): { id: string; value: string } | null {
    const { sql } = this.ctx.storage
    return sql.exec<{ id: string; value: string }>('SELECT id, value FROM rows WHERE id = ?', id).toArray()[0] ?? null
  }
}

const app = new Hono<{ Bindings: BareEnv }>()

app.get('/read', async (c) => {
  const row = await c.env.ROWS.getByName(c.req.query('object') ?? '').read(c.req.query('id') ?? '')
  return row ? c.json(row) : c.json({ error: 'not found' }, 404)
})

export default app
