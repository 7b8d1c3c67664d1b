// Started by outlive-nobody.ts with the process ids to end once whoever holds our standard input is gone.
process.stdin.resume().on('end', () => {
  for (const pid of process.argv.slice(2)) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  process.exit()
})
