import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ArtifactStore } from "../seams.ts";

/** Files of a run in one folder of the runner's temp folder; the workflow uploads it. */
export function createArtifactFolder(folder: string): ArtifactStore {
	return {
		folder,
		async write(name, content) {
			const file = path.join(folder, path.basename(name));
			await mkdir(folder, { recursive: true });
			await writeFile(file, content);
			return file;
		},
	};
}
