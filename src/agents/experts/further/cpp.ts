import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: RAII, value semantics, std::unique_ptr and std::span, noexcept moves, const correctness; in C one owner a resource and one exit that frees.
Look for, in this order:
- Lifetime: a reference, iterator, pointer, string_view or span that outlives what it looks at; a range-for over a member of a temporary; a lambda that captures by reference and is kept; a container grown while iterators or references into it are held; returning the address of a local.
- Ownership: new without an owner, delete against delete[] or free, a resource leaked on the early return or throw between acquire and release, a raw pointer whose owner the signature does not tell, shared_ptr cycles, shared_ptr made twice from one raw pointer, use after std::move.
- Special members: a destructor or copy without its siblings (rule of five), a base class deleted through a pointer without a virtual destructor, slicing by value, a move constructor that is not noexcept so that vector copies, self-assignment.
- Bounds: memcpy, strcpy, sprintf, strncpy without a terminator, an index from outside unchecked, off-by-one with <=, sizeof of a pointer taken for the array's, a buffer whose size and length live in two places, snprintf's result used as the length written.
- Integers: signed overflow (undefined), size_t minus something that wraps, int compared with size_t, a multiplication before malloc or new that overflows, narrowing in a call, shifts by the width or of negative values, char that is signed where bytes are meant.
- Undefined behaviour: uninitialised members on one constructor path, strict aliasing through casts instead of memcpy or std::bit_cast, unaligned access, null passed to memcpy, order of evaluation, static initialisation across files, an ODR clash by an inline definition in a header.
- Errors: a return code of a C call not looked at (malloc, read, write with a short count, pthread, snprintf), errno read too late, an exception that leaves a destructor or crosses a C border, catch by value, noexcept on what can throw.
- Threads: data written without the mutex its readers take, unlock missed on a path (lock_guard), two locks in two orders, condition_variable waits without a predicate, volatile used for synchronisation, atomic operations that are two steps, a detached thread that uses what goes away, signal handlers that allocate or lock.
- C strings and input: printf with a format from outside, scanf without widths, strtol without a check of end and errno, getenv trusted, system and popen with joined text, path checks before open (TOCTOU), temporary names by tmpnam.
- goto cleanup in C: a jump over an initialisation, a label that frees what was not made yet, a path that frees twice.
- Macros: arguments used twice or without brackets, a statement macro without do while(0), an include guard that collides, a condition on a macro nobody defines any more.
- Templates and overloads: a forwarding reference that swallows the copy constructor, an overload that silently takes another type (bool from pointer), if constexpr without the last branch, concepts wider than the body, auto that copies where a reference was meant, vector<bool>.
- Standard containers: operator[] of a map that inserts, erase that invalidates the loop, remove without erase, reserve confused with resize, find compared with the wrong end, comparators that are no strict weak order, std::string::find taken as a bool.
- ABI and headers: a public struct's layout, enum value, virtual function order or inline function changed in a library others link; a header that no longer includes what it uses; extern "C" lost; a symbol that is no longer exported.
- Build files: a source not added to CMakeLists.txt, PUBLIC against PRIVATE link scope, flags set for everybody by CMAKE_CXX_FLAGS, find_package without REQUIRED, -Wall or sanitizers removed, a C++ standard raised for dependents.
- Embedded and kernel code where it is: allocation or sleep in interrupt context, volatile registers cached, endianness and packing taken for granted, a lock held over a copy from user space.
- Tests: EXPECT where what follows needs ASSERT, a test that depends on uninitialised memory or on order, death tests with threads.

How to confirm: name the owner and the line where the lifetime ends, then the use behind it; for an overflow, the input and the types on both sides; for a race, both accesses and the lock each holds; read the header for the declared contract and CMakeLists.txt for the language standard.

Not worth reporting: formatting, naming, include order, "use auto", "use a smart pointer" where ownership is right, const on by-value parameters, missing noexcept without an effect, comments, what -Wall or clang-tidy reports already.`;

/** C and C++, one specialist: headers are shared, and so are the faults. */
export const CPP: LanguageProfile = {
	id: "cpp",
	displayName: "C and C++",
	extensions: [".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".ixx", ".cppm"],
	filenames: [],
	manifests: [
		"CMakeLists.txt",
		"CMakePresets.json",
		"*.cmake",
		"meson.build",
		"meson_options.txt",
		"conanfile.py",
		"conanfile.txt",
		"vcpkg.json",
		".clang-tidy",
		"configure.ac",
		"Makefile.am",
	],
	keywords: [
		"c++",
		"cmake",
		"cmakelists.txt",
		"clang",
		"clang-tidy",
		"gcc",
		"g++",
		"libstdc++",
		"meson.build",
		"gtest",
		"valgrind",
		"std::move",
	],
	guidance: GUIDANCE,
	checkCommands: [],
	buildRoot: "topmost",
	// CTest configures, builds and tests in one call; the tree stays clean.
	testCommand: (files) =>
		files.has("CMakeLists.txt")
			? 'ctest --build-and-test . /tmp/build --build-generator "Unix Makefiles" --test-command ctest --output-on-failure'
			: undefined,
};
