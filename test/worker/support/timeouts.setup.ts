import { lengthenTimeouts } from './clock.ts'

lengthenTimeouts()
