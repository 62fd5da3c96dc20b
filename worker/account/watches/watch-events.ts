import type { WatchEventType } from '../../../domain/events/event-types.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { newItemStatus, watchStatus } from '../../../domain/watches/watch.ts'
import type { AccountRows } from '../account-rows.ts'
import { scheduleBy } from '../due/due-rows.ts'
import { addEvent } from '../events/event-rows.ts'
import { addEventDelivery } from '../webhooks/attempts-and-retries.ts'
import type { WatchItemRow } from './item-rows.ts'
import type { WatchRow } from './watch-rows.ts'
import { asWatch } from './watch-view.ts'

/** A watch changes after its event, and may be gone when the event is sent. So what is told is stored with the event. */
export const tellWatch = (
  rows: AccountRows,
  watch: WatchRow,
  type: Exclude<WatchEventType, 'watch.item'>,
  now: number,
): void => tell(rows, watch, { type, subjectId: watch.id, data: watchStatus(asWatch(rows, watch, now)) }, now)

export const tellItem = (rows: AccountRows, watch: WatchRow, item: WatchItemRow, now: number): void => {
  const { id, settings } = watch
  const shown = { ...item, state: settings.item ? ('waiting' as const) : ('told' as const) }
  const data = newItemStatus(id, shown, settings.metadata)
  tell(rows, watch, { type: 'watch.item', subjectId: item.id, data }, now)
}

/** Then events are removed, also those of an account without jobs. */
const EVENTS_MS = 2 * DAY_MS

const tell = (
  rows: AccountRows,
  { id, settings }: WatchRow,
  { type, subjectId, data }: { type: WatchEventType; subjectId: string; data: object },
  now: number,
): void => {
  const event = addEvent(rows.sql, type, subjectId, now, JSON.stringify(data))
  addEventDelivery(rows, { ...event, subjectId: id }, settings.webhookUrl, now)
  scheduleBy(rows.sql, 'sweep', now + EVENTS_MS)
  rows.progress.changed(id)
}
