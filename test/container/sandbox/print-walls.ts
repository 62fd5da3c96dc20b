import { setLauncherPython } from '../../../container/sandbox/launch/launcher.ts'
import { findWalls } from '../../../container/sandbox/walls.ts'

/** For walls.test.ts, which runs it as another user, who may not run the Python of this checkout. */
setLauncherPython('python3')
console.log(JSON.stringify(await findWalls()))
