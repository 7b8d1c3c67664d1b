import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Of the part that is repeated. Noise keeps the encoder at its bit rate: 6 MB. */
const CLIP_SECONDS = 10
const CLIP = `-f lavfi -i testsrc2=size=640x360:rate=25,noise=alls=60:allf=t -t ${CLIP_SECONDS}
  -c:v libvpx -deadline realtime -cpu-used 8 -b:v 5M -minrate 5M -maxrate 5M -g 25`

/**
 * Videos of so many seconds (WebM with VP8, 600 KB/s, a keyframe each second, the index in front as a film for the Web has it), by ffmpeg;
 * undefined where there is none.
 */
export async function sampleVideos(seconds: readonly number[]): Promise<Buffer[] | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-video-'))
  const ffmpeg = (args: string) => run('ffmpeg', ['-v', 'error', '-y', ...args.trim().split(/\s+/)], { cwd: folder })
  try {
    await ffmpeg(`${CLIP} clip.webm`)
    const videos: Buffer[] = []
    for (const length of seconds) {
      await ffmpeg(
        `-stream_loop ${Math.ceil(length / CLIP_SECONDS)} -i clip.webm -t ${length} -c copy -cues_to_front 1 whole.webm`,
      )
      videos.push(await readFile(join(folder, 'whole.webm')))
    }
    return videos
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
