import { addCopyButtons } from './copy.js'
import { rememberDoor } from './doors.js'
import { startSearch } from './search.js'

rememberDoor()
addCopyButtons()
startSearch()
