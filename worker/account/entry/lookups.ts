import { readAct } from '../acts.ts'
import { readRequestAct } from './authenticated-request.ts'
import { checkFreeWork, noteFreeWork, type Work } from './free-work.ts'

/** Before a preview. */
export const checkPreview = readRequestAct(({ rows, endpoint, now }) => checkFreeWork(rows, endpoint, now))

/** After a preview, a listing or an inspection. */
export const noteLookup = readAct(({ rows, now }, work: Work) => noteFreeWork(rows, work, now))
