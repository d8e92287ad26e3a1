"""install.py FILE.conda PREFIX: makes a channel of one package, and installs from it as conda does."""
import asyncio
import json
import pathlib
import shutil
import sys
import tempfile

import rattler
import rattler.index


async def install(file, prefix):
    with tempfile.TemporaryDirectory() as work:
        channel, platform = pathlib.Path(work, "channel"), str(rattler.Platform.current())
        for folder in platform, "noarch":
            (channel / folder).mkdir(parents=True)
        shutil.copy(file, channel / platform)
        await rattler.index.index_fs(channel)
        found = await rattler.solve([rattler.Channel(f"file://{channel}")], ["culprit"], platforms=[platform, "noarch"])
        await rattler.install(found, target_prefix=prefix, cache_dir=pathlib.Path(work, "cache"), show_progress=False)
    print(json.dumps([record.file_name for record in found]))


asyncio.run(install(*sys.argv[1:]))
