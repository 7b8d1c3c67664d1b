// Loaded before a program: when it ends, its use of CPU and memory is written to the file that USAGE_FILE names.
import { writeFileSync } from 'node:fs'

process.on('exit', () => writeFileSync(process.env.USAGE_FILE, JSON.stringify(process.resourceUsage())))
