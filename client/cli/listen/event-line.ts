import type { HaulEvent } from '../../src/index.ts'
import type { Color } from '../terminal/colors.ts'
import { cutToColumns } from '../terminal/columns.ts'
import { printable } from '../terminal/printable.ts'
import type { ForwardResult } from './forward.ts'

/** What the lines read of the data of all kinds of events. */
interface EventData {
  jobId?: string
  batchId?: string
  title?: string | null
  url?: string | null
  code?: string
  result?: { title?: string | null }
}

const TYPE_COLUMNS = 'transcription.completed'.length

export interface EventLineOptions {
  paint: (color: Color, text: string) => string
  forwarded?: ForwardResult | undefined
  maxColumns?: number | undefined
}

/** `14:05:09  import.completed  imp_…  A talk  -> 200` */
export const eventLine = (
  event: HaulEvent,
  { paint, forwarded, maxColumns = Number.POSITIVE_INFINITY }: EventLineOptions,
): string => {
  const data = event.data as EventData
  const type = printable(event.type)
  const head = `${timeOf(event.timestamp)}  ${paint(colorOf(type), type.padEnd(TYPE_COLUMNS))}`
  const tail = forwarded ? `  -> ${resultText(forwarded, paint)}` : ''
  const facts = [data.jobId ?? data.batchId, data.code, data.result?.title ?? data.title ?? data.url]
  const room =
    maxColumns - 10 - TYPE_COLUMNS - (forwarded ? 5 + resultText(forwarded, (_, text) => text).length : 0) - 2
  const shown = facts.flatMap((fact) => (fact ? [printable(String(fact))] : [])).join('  ')
  return `${head}  ${cutToColumns(shown, room)}${tail}`
}

const resultText = (result: ForwardResult, paint: EventLineOptions['paint']): string => {
  if ('problem' in result) return paint('red', printable(result.problem))
  return paint(result.status >= 200 && result.status < 300 ? 'green' : 'red', String(result.status))
}

const colorOf = (type: string): Color => {
  if (type.endsWith('.completed')) return 'green'
  return type.endsWith('.failed') ? 'red' : 'dim'
}

const timeOf = (iso: string): string => new Date(iso).toTimeString().slice(0, 8)
