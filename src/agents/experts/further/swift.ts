import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: optionals, value types, enums with associated values, protocols, ARC, async/await with actors and Sendable, XCTest or Swift Testing.
Look for, in this order:
- Optionals given away: ! and try! on what input can make nil, implicitly unwrapped outlets and properties read early, as! on JSON or Objective-C values, an if let that shadows and leaves the failure unhandled, ?? with a default that hides an error, first! and index access on arrays that may be empty.
- Reference cycles: self captured strongly by a stored closure, timer, Combine sink, NotificationCenter block or Task that loops; a delegate that is not weak; unowned that outlives its object; a lazy closure property; cycles between parent and child view models.
- Concurrency: state written off its actor or queue, UI touched outside the main actor, @unchecked Sendable and nonisolated(unsafe) without a lock behind it, an actor's invariant broken by an await in the middle (re-entrancy), DispatchQueue.main.sync on main, semaphores that wait inside async code, a continuation resumed twice or never, withTaskGroup whose errors nobody reads.
- Tasks: Task { } that nobody cancels, Task.detached that loses the actor and priority, cancellation never checked in a loop, try? await that swallows CancellationError, async let not awaited before return, onAppear that starts the work again each time.
- Errors: try? that turns a failure into nothing, catch without a look at the error, Result ignored, a completion handler that is not called on one path or is called twice, fatalError and precondition on input, defer order, rethrows where the closure escapes.
- Values and references: a struct copied and the copy changed, a class in a struct that is shared by copies, inout exclusivity, mutation of a collection while it is enumerated, copy-on-write defeated in a loop, == and Hashable that disagree, a var in a Set element.
- Enums: default in a switch that swallows a new case, @unknown default left out for frozen-less enums, raw values renamed that are stored, associated values compared only in part.
- Protocols: a method of an extension that is not a requirement and so is dispatched statically, a default implementation that hides a missing one, existential any with Self requirements, retroactive conformances, a protocol requirement added for all conformers.
- Codable: keys or dates decoded by another strategy than sent, decode against decodeIfPresent, unknown enum values that fail the whole array, Int for large ids, defaults lost in synthesised init.
- SwiftUI: @State set from init and never updated, @ObservedObject made inside a view (use @StateObject), body with side effects, unstable ids in ForEach, bindings to copies, environment objects missing at the call site, animations over identity changes, heavy work in body, sheet(item:) against isPresented races.
- UIKit and AppKit: cells reused without reset, observers not removed, layout work in layoutSubviews that triggers itself, a view controller presented twice, safe areas, background tasks that never end.
- Strings and text: Index reused over mutations, count in O(n) in a loop, NSRange against Range with emoji, localised formatting in stored data, comparisons that depend on locale.
- Numbers and time: Int overflow traps, Int(Double) traps on NaN and large values, unsigned subtraction, Double for money, Date arithmetic by seconds over days, DateFormatter without a fixed locale, TimeZone.current stored.
- Memory and C: withUnsafe pointers that escape their closure, UnsafeMutablePointer without deinitialize, bridging casts with the wrong retain (takeRetainedValue), Data slices whose indices do not start at 0, autorelease pools in loops.
- Storage and security: secrets in UserDefaults instead of the keychain, file protection, URL schemes and universal links trusted, WKWebView with script messages from any origin, App Transport Security exceptions, certificate checks switched off, logs with personal data, random that is not secure.
- Availability: an API newer than the deployment target without #available, #if os branches that no longer compile, deprecated replacements that behave differently.
- Packages: Package.swift with branch dependencies, products that no longer export a target, Package.resolved that did not follow, platforms raised for dependents, public API without @frozen thought or with removed symbols, resources not declared, Info.plist keys for permissions missing.
- Tests: expectations never awaited, async tests without await, XCTAssertEqual on floating point without accuracy, shared singletons, tests that rely on main-queue timing, @MainActor missing, snapshot tests recorded over a bug.

How to confirm: find who owns the closure and whether that is owned by self; name the actor or queue of each access; for a trap, the input that reaches it; check the deployment target in Package.swift or the project before you speak of newer API.

Not worth reporting: SwiftLint style, self. by taste, access levels without an effect, trailing closures, naming, missing documentation, guard against if, "use a struct".`;

/** Swift. */
export const SWIFT: LanguageProfile = {
	id: "swift",
	displayName: "Swift",
	extensions: [".swift"],
	filenames: [],
	manifests: ["Package.swift", "Package.resolved", ".swiftlint.yml", "Podfile.lock", "Cartfile", "*.xcconfig", "Info.plist"],
	keywords: ["swiftlang", "swiftui", "uikit", "xctest", "xcode", "swiftpm", "package.swift", "combine framework", "swiftlint", "cocoapods"],
	guidance: GUIDANCE,
	checkCommands: [{ command: "swift build", needs: ["Package.swift"] }],
	testCommand: (files) => (files.has("Package.swift") ? "swift test" : undefined),
};
