import type { AudioOrder, CaptionsOrder } from '../../domain/protocol/protocol.ts'
import { createStorageEgress } from '../egress/storage.ts'
import { SourceFailure } from '../failures.ts'
import { Interrupted } from '../source/transfer/retry-policy.ts'
import { GivenBack, type StepFunction } from './step.ts'

/**
 * Runs the step with the way to our own storage, if that is where its file is. What storage refuses or cuts is not the
 * caller's fault: the step is given back, and another attempt reads the file.
 */
export const orFromStorage =
  <Order extends AudioOrder | CaptionsOrder>(step: StepFunction<Order>): StepFunction<Order> =>
  async (order, context) => {
    if (!order.stored) return step(order, context)
    const egress = createStorageEgress(context.signal)
    try {
      return await step(order, { ...context, egress })
    } catch (error) {
      if (isOfStorage(error)) throw new GivenBack(`storage: ${error.code}`)
      throw isTruncated(error) ? new SourceFailure(error.code, 'The file ends too early.', { cause: error }) : error
    } finally {
      await egress.close()
    }
  }

/** What only a server says. The file itself may be truncated or unsupported. */
const codes = new Set<string>([
  'SOURCE_UNREACHABLE',
  'SOURCE_NOT_FOUND',
  'SOURCE_PRIVATE',
  'SOURCE_BLOCKED',
  'SOURCE_RATE_LIMITED',
])

const isTruncated = (error: unknown): error is SourceFailure =>
  error instanceof SourceFailure && error.code === 'SOURCE_TRUNCATED'

/** Whether it is storage that failed, and not the file that is bad. */
export const isOfStorage = (error: unknown): error is SourceFailure =>
  error instanceof Interrupted || (error instanceof SourceFailure && codes.has(error.code))
