import type { Connection } from './http/connection.ts'

/** What the groups of methods have in common, such as `haul.jobs`. */
export abstract class Group {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }
}
