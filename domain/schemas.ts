import { z } from 'zod'
import { isWholeMicros } from './money/money.ts'

/** An amount of money. Six decimals are whole micro-dollars. More than `most` is most likely a typo. */
export const dollarsUpTo = (most: number) =>
  z.number().min(0).max(most).refine(isWholeMicros, 'must have at most six decimals').meta({ multipleOf: 0.000_001 })

/** An object that names nothing is most likely a mistake. */
export const notEmpty = <T extends z.ZodObject>(schema: T) =>
  schema.refine((value) => Object.keys(value).length > 0, 'must have at least one field').meta({ minProperties: 1 })
