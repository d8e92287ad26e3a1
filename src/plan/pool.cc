#include "plan/pool.h"

#include <map>
#include <string>
#include <unordered_map>

#define LIBSOLV_SOLVABLE_PREPEND_DEP  // `requires` is a word of C++20
extern "C" {
#include <solv/pool.h>
#include <solv/queue.h>
#include <solv/repo.h>
#include <solv/solver.h>
}

namespace culprit::plan {
namespace {

class IdQueue {
 public:
  IdQueue() { queue_init(&queue_); }
  ~IdQueue() { queue_free(&queue_); }
  IdQueue(const IdQueue&) = delete;
  IdQueue& operator=(const IdQueue&) = delete;
  void Add(Id id) { queue_push(&queue_, id); }
  Queue* get() { return &queue_; }
  int size() const { return queue_.count; }
  Id at(int index) const { return queue_.elements[index]; }

 private:
  Queue queue_;
};

}  // namespace

struct Pool::Inside {
  ::Pool* pool = pool_create();
  size_t packages = 0;
  std::vector<std::vector<Id>> solvable;                          // by package and candidate; 0 = not left
  std::map<Id, std::pair<size_t, size_t>> candidate;              // and back
  std::map<std::pair<size_t, std::vector<size_t>>, Id> provides;  // one name for each set of candidates

  ~Inside() { pool_free(pool); }
};

Pool::Pool(const Universe& universe, const Narrowed& narrowed, const Ignored& ignored)
    : inside_(std::make_unique<Inside>()) {
  ::Pool* pool = inside_->pool;
  pool_setdisttype(pool, DISTTYPE_RPM);
  Repo* repo = repo_create(pool, "universe");
  inside_->packages = universe.packages.size();
  for (size_t p = 0; p < universe.packages.size(); ++p) {
    const size_t count = universe.packages[p].candidates.size();
    const Id name = pool_str2id(pool, ("p" + std::to_string(p)).c_str(), 1);
    inside_->solvable.emplace_back(count, 0);
    for (size_t c = 0; c < count; ++c) {
      if (!narrowed.left[p][c]) continue;
      const Id id = repo_add_solvable(repo);
      Solvable* solvable = pool_id2solvable(pool, id);
      solvable->name = name;
      solvable->arch = ARCH_NOARCH;
      solvable->evr = pool_str2id(pool, std::to_string(count - c).c_str(), 1);
      solvable->dep_provides =
          repo_addid_dep(repo, solvable->dep_provides, pool_rel2id(pool, name, solvable->evr, REL_EQ, 1), 0);
      inside_->solvable[p][c] = id;
      inside_->candidate[id] = {p, c};
    }
  }
  std::unordered_map<const Need*, Id> shared;  // of needs that many candidates have
  for (const auto& [id, at] : std::map<Id, std::pair<size_t, size_t>>(inside_->candidate)) {
    for (const Need& need : universe.at(at.first, at.second).needs) {
      if (ignored.Has(need)) continue;
      Solvable* const asking = pool_id2solvable(pool, id);
      Id& known = shared[&need];
      if (known != 0) {
        asking->dep_requires = repo_addid_dep(repo, asking->dep_requires, known, 0);
        continue;
      }
      auto [found, fresh] = inside_->provides.try_emplace({need.package, need.accepts}, 0);
      if (fresh) {
        const std::string text = "need" + std::to_string(inside_->provides.size());
        found->second = pool_str2id(pool, text.c_str(), 1);
        for (const size_t accepted : need.accepts) {
          const Id provider = inside_->solvable[need.package][accepted];
          if (provider == 0) continue;
          Solvable* solvable = pool_id2solvable(pool, provider);
          solvable->dep_provides = repo_addid_dep(repo, solvable->dep_provides, found->second, 0);
        }
      }
      known = found->second;
      asking->dep_requires = repo_addid_dep(repo, asking->dep_requires, known, 0);
    }
  }
  pool_createwhatprovides(pool);
}

Pool::~Pool() = default;

std::optional<Choice> Pool::Install(const std::vector<Root>& roots) const {
  ::Pool* pool = inside_->pool;
  IdQueue jobs;
  for (const Root& root : roots) {
    IdQueue any;
    for (const size_t accepted : root.accepts) {
      const Id id = inside_->solvable[root.package][accepted];
      if (id != 0) any.Add(id);
    }
    if (any.size() == 0) return std::nullopt;
    jobs.Add(SOLVER_INSTALL | SOLVER_SOLVABLE_ONE_OF);
    jobs.Add(pool_queuetowhatprovides(pool, any.get()));
  }
  const std::unique_ptr<Solver, void (*)(Solver*)> solver(solver_create(pool), solver_free);
  solver_set_flag(solver.get(), SOLVER_FLAG_IGNORE_RECOMMENDED, 1);
  if (solver_solve(solver.get(), jobs.get()) != 0) return std::nullopt;
  Choice choice(inside_->packages, kNone);
  IdQueue decisions;
  solver_get_decisionqueue(solver.get(), decisions.get());
  for (int i = 0; i < decisions.size(); ++i) {
    const auto at = inside_->candidate.find(decisions.at(i));
    if (at != inside_->candidate.end()) choice[at->second.first] = at->second.second;
  }
  return choice;
}

}  // namespace culprit::plan
