type Row = Record<string, SqlStorageValue>

/** The first row of a query, or undefined: SqlStorage's own one() throws where nothing is a normal answer. */
export const firstRow = <T extends Row>(
  sql: SqlStorage,
  query: string,
  ...bindings: SqlStorageValue[]
): T | undefined => sql.exec<T>(query, ...bindings).toArray()[0]
