import { notFound, ok } from "./answer.ts";
import { renderActionsApp } from "./handle-checks.ts";
import type { HandlerTable } from "./handler.ts";
import { HttpProblem } from "./loopback-types.ts";
import { ensureUser } from "./loopback-state.ts";
import { renderProfile } from "./render-repository.ts";

export const USER_HANDLERS: HandlerTable = {
	"users/get-authenticated": async (call) => {
		if (call.viewer === null) throw new HttpProblem(401, { message: "Requires authentication" });
		// A workflow's or an app's token is no user (BR-37: the bot's own id has to be known another way).
		if (call.viewer.kind !== "personal") throw new HttpProblem(403, { message: "Resource not accessible by integration" });
		return ok(renderProfile(call.state, ensureUser(call.state, call.viewer.login)));
	},
	"users/get-by-username": async (call) => {
		const login = (call.parameters["username"] ?? "").toLowerCase();
		const user = [...call.state.users.values()].find((candidate) => candidate.login.toLowerCase() === login);
		if (user === undefined) throw notFound();
		return ok(renderProfile(call.state, user));
	},
	"apps/get-authenticated": async (call) => {
		// Only a signed app token may ask; the tokens this loopback hands out are none.
		if (call.viewer === null || call.viewer.kind !== "personal") {
			throw new HttpProblem(401, { message: "A JSON web token could not be decoded" });
		}
		return ok(renderActionsApp(call.state));
	},
	"rate-limit/get": async () => {
		const rate = { limit: 5000, used: 0, remaining: 5000, reset: Math.floor(Date.now() / 1000) + 3600 };
		return ok({ resources: { core: rate, search: { ...rate, limit: 30, remaining: 30 }, graphql: rate }, rate });
	},
};
