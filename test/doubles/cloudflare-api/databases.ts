import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { FakeAccount } from './account.ts'
import { ok, type Reply, type Routes } from './routes.ts'

export const addDatabase = (account: FakeAccount, name: string) => {
  const database = { name, uuid: randomUUID(), sqlite: new DatabaseSync(':memory:') }
  account.databases.push(database)
  return database
}

/** D1, with SQLite itself. */
export const databaseRoutes = (account: FakeAccount): Routes => {
  const databaseOf = (id = '') => account.databases.find(({ uuid }) => uuid === id)
  return {
    'GET /d1/database': ({ query }) => {
      const found = account.databases.filter(({ name }) => name.includes(query.get('name') ?? ''))
      return ok(
        found.map(({ name, uuid }) => ({ name, uuid })),
        { result_info: { page: 1, per_page: 100, total_count: found.length } },
      )
    },
    'POST /d1/database': ({ json }) => {
      const { name, uuid } = addDatabase(account, json.name)
      return ok({ name, uuid })
    },
    'GET /d1/database/:id': (_, [id]) => {
      const database = databaseOf(id)
      return database && ok({ name: database.name, uuid: database.uuid, version: 'production' })
    },
    'GET /d1/database/:id/time_travel/bookmark': (_, [id]) => {
      const database = databaseOf(id)
      return database && ok({ bookmark: bookmarkOf(database.sqlite) })
    },
    'POST /d1/database/:id/query': ({ json }, [id]) => {
      const sqlite = databaseOf(id)?.sqlite
      return sqlite && query(sqlite, json.sql)
    },
  }
}

/** Later ones are greater. */
const bookmarkOf = (sqlite: DatabaseSync): string => {
  const { changes } = sqlite.prepare('SELECT total_changes() AS changes').get() as { changes: number }
  return `${changes}`.padStart(8, '0')
}

const query = (sqlite: DatabaseSync, sql: string): Reply => {
  try {
    if (/^\s*select/i.test(sql)) return ok([{ success: true, results: sqlite.prepare(sql).all(), meta: {} }])
    sqlite.exec(sql)
    return ok([{ success: true, results: [], meta: {} }])
  } catch (error) {
    return { status: 400, code: 7500, message: (error as Error).message }
  }
}
