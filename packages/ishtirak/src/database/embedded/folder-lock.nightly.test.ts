import { startHolder } from '../../../../../test/support/lock-holder.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'

it('a new folder, or one that a killed process held, goes to exactly one of eight', async () => {
  const folder = temporaryFolder()
  for (let round = 0; round <= 1; round++) {
    if (round > 0) {
      const dead = await startHolder(folder)
      expect(dead.lines).toEqual(['locked'])
      await dead.kill()
    }
    const racers = await Promise.all(Array.from({ length: 8 }, () => startHolder(folder)))
    expect(racers.filter(({ lines }) => lines[0] === 'locked')).toHaveLength(1)
    expect(racers.filter(({ lines }) => lines[0]?.startsWith('DataFolderLocked'))).toHaveLength(7)
    await Promise.all(racers.map((racer) => racer.kill()))
  }
})
