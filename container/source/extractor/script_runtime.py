"""Whether the scripts that YouTube's player needs solved can be run."""

import subprocess

TIMEOUT_SECONDS = 20


def problem(resolver):
    """None if there is none."""
    import yt_dlp_ejs.yt.solver as solver
    runtime = resolver._js_runtimes.get('node')
    if not runtime or not runtime.info or not runtime.info.supported:
        return 'yt-dlp does not accept this Node'
    # As yt-dlp puts them together (yt_dlp/extractor/youtube/jsc/_builtin/ejs.py).
    script = f'{solver.lib()}\nObject.assign(globalThis, lib)\n{solver.core()}\nconsole.log(typeof jsc)'
    ran = subprocess.run(
        [runtime.info.path, '--permission', '-'],
        input=script, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False,
    )
    return None if ran.stdout.strip() == 'function' else 'the scripts of yt-dlp-ejs do not run'
