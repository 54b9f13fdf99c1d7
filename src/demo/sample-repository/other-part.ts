import { edit, type SamplePart } from "./sample-file.ts";

const DOCKERFILE = `FROM node:24-slim
WORKDIR /srv
COPY gateway/ ./
RUN npm ci --omit=dev
USER node
CMD ["node", "dist/server.js"]
`;

const OPERATIONS = `# Operations

Deployment
----------

The services of \`deploy/services.json\` are rolled out one by one.

Recovery
--------

1. Stop the gateway.
2. Restore the database of last night.
3. Start the gateway and watch the error rate.
`;

const README = `# Harbour

Parcel delivery in five small services: gateway (TypeScript), dispatch (Go), geo (Rust), billing (Python) and ledger (Java).
`;

/** Two small pictures, one pixel each; only their bytes differ. */
const OLD_LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const NEW_LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

export const SAMPLE_README = README;

export function otherPart(): SamplePart {
	return {
		files: [
			{ path: "README.md", base: README, head: README },
			{
				path: "Dockerfile",
				base: DOCKERFILE,
				head: edit(DOCKERFILE, ["RUN npm ci --omit=dev\nUSER node\n", "RUN npm install\n"]),
			},
			{ path: "docs/operations.md", base: OPERATIONS, head: undefined },
			{
				path: "docs/running.md",
				base: undefined,
				// A line of seven equal signs is a heading here, and no conflict.
				head: edit(OPERATIONS, ["Deployment\n----------\n", "Rollout\n=======\n"]),
			},
			{ path: "docs/logo.png", base: Buffer.from(OLD_LOGO, "base64"), head: Buffer.from(NEW_LOGO, "base64") },
		],
		defects: [
			{
				path: "Dockerfile",
				on: "RUN npm install",
				kind: "security",
				rule: "model",
				offline: false,
				why: "The image no longer installs what the lock file says, and runs as root.",
			},
		],
	};
}
