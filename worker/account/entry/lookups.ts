import { readAct } from '../acts.ts'
import { readRequestAct } from './authenticated-request.ts'
import { checkFreeWork, noteFreeWork, type Work } from './free-work.ts'

/** Whether a preview may be made. */
export const checkPreview = readRequestAct(({ rows, endpoint, now }) => checkFreeWork(rows, endpoint, now))

/** Counts what a preview, a listing or an inspection took. */
export const noteLookup = readAct(({ rows, now }, work: Work) => noteFreeWork(rows, work, now))
