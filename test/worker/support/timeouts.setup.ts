import { followSkips, lengthenTimeouts } from './clock.ts'

lengthenTimeouts()
followSkips()
