/** What of an object's storage the scenario needs. */
interface Storage {
  sql: { exec(text: string, ...bindings: (string | number | null | ArrayBuffer)[]): Cursor }
  transactionSync<T>(act: () => T): T
  getAlarm(): Promise<number | null>
  setAlarm(at: number): Promise<void>
  deleteAlarm(): Promise<void>
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
  }
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
}
