// Cases as a folder of .npy files with a manifest, for kernels that run where normcheck does not: on a GPU box, on a phone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/random.h"
#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::properties::plug_in {

// A case of the folder. Its files are ID.x.npy, ID.gamma.npy, ID.beta.npy, ID.epsilon.npy; its results ID.y.npy, ID.mean.npy, ID.inv_std_dev.npy.
struct FolderCase {
  std::string id;
  reference::Case c;  // dense; epsilon is a number of f32, so that a kernel may take it in f32 or f64
};

struct CasesWanted {
  std::size_t count = 0;
  Seed seed;
  std::vector<norm::Op> ops;
  std::vector<norm::Formats> formats;
  bool absent_params = true;  // gamma, beta or both may be missing
  bool beta = true;           // false: no case has one
};

// The i-th case depends on the seed, i and what is wanted beside the count: more cases begin with the fewer.
std::vector<FolderCase> DrawCases(const CasesWanted& wanted);

// manifest.json, schema normcheck/emitted/1:
//   {"schema": .., "seed": n, "arrays": what the types mean, "cases": [{"id": .., "op": "layer_norm"|"rms_norm"|"l2_norm",
//    "x_format": .., "param_format": .., "y_format": "f32"|"f16"|"bf16", "rows": R, "width": H, "epsilon": hex float,
//    "epsilon_decimal": .., "x": file, "gamma": file?, "beta": file?, "epsilon_file": file?, "y": file, "mean": file?,
//    "inv_std_dev": file?, "source": text?}]}  epsilon_file holds epsilon once more, as one f32.
// The last three files are the results: y is asked for, the statistics are judged where they are there.
inline constexpr const char* kManifestName = "manifest.json";
inline constexpr const char* kManifestSchema = "normcheck/emitted/1";

// Writes the folder beside `dir` and renames it into place: it is there whole or not at all. A folder that was emitted earlier and
// holds no results is replaced.
// Errors: a file, a folder of something else, a folder with results, a parent that cannot be written.
reference::Result<bool> WriteCaseFolder(const std::string& dir, const std::vector<FolderCase>& cases, Seed seed);

// An entry of the manifest with its case, or why it cannot be judged.
struct ReadFolderCase {
  FolderCase named;
  std::vector<std::string> inputs;   // names of the files of x, gamma, beta and epsilon
  std::string y, mean, inv_std_dev;  // names of the results; the last two empty where the manifest names none
  std::string fault;                 // empty: the case could be read
};

// The manifest and the arrays of its cases, in its order. A case's unreadable arrays are its own fault.
// Errors: those of the manifest: no JSON, another schema, an unknown, missing or wrong field, a file name that leaves the folder.
reference::Result<std::vector<ReadFolderCase>> ReadCaseFolder(const std::string& dir);

}  // namespace normcheck::properties::plug_in
