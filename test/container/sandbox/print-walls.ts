import { findWalls } from '../../../container/sandbox/walls.ts'

/** For walls.test.ts, which runs it as another user. */
console.log(JSON.stringify(await findWalls()))
