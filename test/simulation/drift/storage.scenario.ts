/** What of an object's storage the scenario needs. */
interface Storage {
  sql: {
    exec(text: string, ...bindings: (string | number | null | ArrayBuffer)[]): Cursor
    readonly databaseSize: number
  }
  transactionSync<T>(act: () => T): T
  getAlarm(): Promise<number | null>
  setAlarm(at: number): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

interface Cursor extends Iterable<object> {
  toArray(): object[]
  one(): object
  raw(): Iterable<unknown[]>
  columnNames: string[]
  rowsWritten: number
}

const messageOf = (act: () => unknown): string => {
  try {
    act()
    return 'nothing was thrown'
  } catch (cause) {
    return (cause as Error).message
  }
}

/** The same in workerd and in the double. */
export const storageScenario = async (storage: Storage) => {
  const { sql } = storage
  const names = () => [...sql.exec('SELECT name FROM drift ORDER BY name')].map((row) => (row as { name: string }).name)
  const act = <T>(run: () => T): T => storage.transactionSync(run)
  sql.exec(`DROP TABLE IF EXISTS drift;
    CREATE TABLE drift (name TEXT PRIMARY KEY, amount INTEGER, bytes BLOB) WITHOUT ROWID`)
  const inserted = sql.exec('INSERT INTO drift VALUES (?, ?, ?)', 'a', 1, new Uint8Array([1, 2]).buffer)
  const wrote = inserted.rowsWritten > 0
  sql.exec('INSERT INTO drift VALUES (?, ?, ?)', 'b', 2 ** 40, null)
  const unchanged = sql.exec("UPDATE drift SET amount = 3 WHERE name = 'nobody'").rowsWritten
  const returned = sql.exec("UPDATE drift SET amount = 5 WHERE name = 'a' RETURNING name, amount").toArray()
  const all = sql.exec('SELECT name, amount FROM drift ORDER BY name')
  const { columnNames } = all
  const rows = all.toArray()
  const again = all.toArray()
  const raw = [...sql.exec('SELECT name, amount FROM drift ORDER BY name').raw()]
  const bytes = (sql.exec("SELECT bytes FROM drift WHERE name = 'a'").one() as { bytes: unknown }).bytes
  const none = messageOf(() => sql.exec("SELECT * FROM drift WHERE name = 'nobody'").one())
  const several = messageOf(() => sql.exec('SELECT * FROM drift').one())
  const duplicate = messageOf(() => sql.exec("INSERT INTO drift VALUES ('a', 1, NULL)"))

  const value = act(() => {
    sql.exec("INSERT INTO drift VALUES ('c', 1, NULL)")
    const inner = messageOf(() =>
      act(() => {
        sql.exec("INSERT INTO drift VALUES ('d', 1, NULL)")
        throw new Error('inner')
      }),
    )
    act(() => sql.exec("INSERT INTO drift VALUES ('e', 1, NULL)"))
    return inner
  })
  const afterInner = names()
  const outer = messageOf(() =>
    act(() => {
      act(() => sql.exec("INSERT INTO drift VALUES ('f', 1, NULL)"))
      throw new Error('outer')
    }),
  )
  const afterOuter = names()
  const changes = sql.exec('SELECT total_changes() > 0 AS counts').one()

  await storage.deleteAlarm()
  const noAlarm = await storage.getAlarm()
  const soon = Date.now() + 3_600_000
  await storage.setAlarm(soon)
  const isSet = (await storage.getAlarm()) === soon
  await storage.deleteAlarm()
  return {
    ...{ wrote, unchanged, returned, columnNames, rows, again, raw, none, several, duplicate },
    ...{ bytesAreBuffer: bytes instanceof ArrayBuffer, value, afterInner, outer, afterOuter, changes },
    ...{ noAlarm, isSet, deleted: await storage.getAlarm() },
    ...{ found: found(sql), removed: await removed(storage) },
  }
}

/** An index of words beside its content. */
const found = (sql: Storage['sql']) => {
  sql.exec(`CREATE TABLE drift_content (number INTEGER PRIMARY KEY, tokens TEXT NOT NULL);
    CREATE VIRTUAL TABLE drift_found USING fts5
      (tokens, content = 'drift_content', content_rowid = 'number', tokenize = 'ascii', prefix = '1 2 3');
    INSERT INTO drift_found (drift_found, rank) VALUES ('secure-delete', 1);`)
  const texts = ['one two', 'two three', 'one three']
  for (const [number, text] of texts.entries()) {
    sql.exec('INSERT INTO drift_content VALUES (?, ?)', number, text)
    sql.exec('INSERT INTO drift_found (rowid, tokens) VALUES (?, ?)', number, text)
  }
  sql.exec("INSERT INTO drift_found (drift_found, rowid, tokens) VALUES ('delete', 2, 'one three')")
  sql.exec('DELETE FROM drift_content WHERE number = 2')
  sql.exec("INSERT INTO drift_found (drift_found, rank) VALUES ('integrity-check', 1)")
  const query = 'SELECT rowid AS id FROM drift_found WHERE drift_found MATCH ? ORDER BY rowid DESC'
  return ['"one"', '"th" *', '("two") NOT ("one")'].map((match) => sql.exec(query, match).toArray())
}

/** The object may go on with a new database. */
const removed = async (storage: Storage) => {
  const { sql } = storage
  const before = sql.databaseSize
  sql.exec('INSERT INTO drift_content VALUES (3, ?)', ' '.repeat(100_000))
  // Free pages are used first.
  const grown = sql.databaseSize - before > 80_000
  await storage.deleteAll()
  const left = sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'drift%'").toArray()
  const isSmaller = sql.databaseSize < before
  sql.exec('CREATE TABLE drift (name TEXT)')
  return { grown, left, isSmaller, again: sql.exec('SELECT * FROM drift').toArray() }
}

export const expectedStorage = {
  wrote: true,
  unchanged: 0,
  returned: [{ name: 'a', amount: 5 }],
  columnNames: ['name', 'amount'],
  rows: [
    { name: 'a', amount: 5 },
    { name: 'b', amount: 2 ** 40 },
  ],
  again: [],
  raw: [
    ['a', 5],
    ['b', 2 ** 40],
  ],
  none: 'Expected exactly one result from SQL query, but got no results.',
  several: 'Expected exactly one result from SQL query, but got multiple results.',
  duplicate: 'UNIQUE constraint failed: drift.name: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)',
  bytesAreBuffer: true,
  value: 'inner',
  afterInner: ['a', 'b', 'c', 'e'],
  outer: 'outer',
  afterOuter: ['a', 'b', 'c', 'e'],
  changes: { counts: 1 },
  noAlarm: null,
  isSet: true,
  deleted: null,
  found: [[{ id: 0 }], [{ id: 1 }], [{ id: 1 }]],
  removed: { grown: true, left: [], isSmaller: true, again: [] },
}
