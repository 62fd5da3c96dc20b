import type { FreeWork } from '../account-rows.ts'
import { readAct } from '../acts.ts'
import { readRequestAct } from './authenticated-request.ts'
import { checkFreeWork, noteFreeWork } from './free-work.ts'

/** Before a preview. */
export const checkPreview = readRequestAct(({ rows, endpoint, now }) => checkFreeWork(rows, endpoint, now))

/** After a preview, a listing or an inspection. */
export const notePreview = readAct(({ rows, now }, work: Pick<FreeWork, 'engineMs' | 'bytes'>) =>
  noteFreeWork(rows, work, now),
)
